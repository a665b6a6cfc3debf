document.getElementById("app")!.textContent = "Map";
