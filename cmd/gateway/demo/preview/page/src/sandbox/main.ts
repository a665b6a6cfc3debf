// The outer frame of a widget. The widget's content security policy is the one that this page was served with.

import { asText } from "../json.ts";
import { Relay } from "./relay.ts";

const pageOrigin = asText(JSON.parse(document.getElementById("page-origin")!.textContent!)) ?? "";

const relay = new Relay({
  parent,
  pageOrigin,
  place(html) {
    const frame = document.createElement("iframe");
    frame.name = "view";
    frame.title = "Widget";
    // Scripts and nothing more: its origin is opaque, and it shares nothing with this page.
    frame.sandbox.add("allow-scripts");
    frame.referrerPolicy = "no-referrer";
    frame.srcdoc = html;
    document.body.append(frame);
    return frame.contentWindow!;
  },
});

if (parent !== window) {
  addEventListener("message", (event) => relay.hear(event));
  relay.begin();
}
