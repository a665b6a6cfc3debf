// @vitest-environment happy-dom
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { HostContext } from "../protocol/context.ts";
import { readContext } from "../protocol/context.ts";
import type { Scene } from "../scene/scene.ts";
import { Shell } from "./shell.ts";
import type { State } from "./state.ts";
import { textsFor } from "./texts.ts";
import { heightOf } from "./theme.ts";

const markup = '<img src=x onerror="alert(1)"><b>bold</b>';
const scene: Scene = {
  title: markup,
  shapes: [],
  rows: [{ title: markup, text: "Damrak 10", swatch: "place", number: 1 }],
  legend: [{ title: "Toll", text: "", swatch: "toll" }],
};
const texts = textsFor("en");

function made(context: HostContext = readContext({ locale: "en" })) {
  document.body.innerHTML = '<div id="app"></div>';
  const root = document.getElementById("app")!;
  const actions = { zoomBy: vi.fn(), toggleFullscreen: vi.fn(), again: vi.fn(), choose: vi.fn(), closeDetail: vi.fn(), openLink: vi.fn(), ask: () => undefined };
  const shell = new Shell(root, actions, "© Owner", context);
  const text = (selector: string): string => root.querySelector(selector)?.textContent ?? "";
  return { root, shell, actions, text };
}

beforeEach(() => document.documentElement.removeAttribute("style"));

describe("states", () => {
  const failures = Object.entries(texts.failures).map(([reason, { title }]): [State, string] => [
    { kind: "failed", reason } as State,
    title,
  ]);
  test.each<[State, string]>([
    [{ kind: "waiting", partial: false }, texts.waiting],
    [{ kind: "waiting", partial: true }, texts.preparing],
    [{ kind: "drawing" }, texts.drawing],
    [{ kind: "empty" }, texts.empty],
    ...failures,
  ])("%j has its words, seen and spoken", (state, words) => {
    const { shell, root, text } = made();
    shell.show(state);
    expect(text(".message")).toContain(words);
    expect(text("[role=status]")).toContain(words);
    expect(root.dataset["state"]).toBe(state.kind);
  });

  test("every failure has words of its own", () => {
    const titles = failures.map(([, title]) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  test("hidden is a note and nothing else", () => {
    const { shell, root, text } = made();
    shell.show({ kind: "hidden" });
    expect(text(".hidden-note")).toBe(texts.hidden);
    expect(root.querySelector<HTMLElement>(".message")!.hidden).toBe(true);
  });

  test("drawn has its rows, legend and how exact it is, and then an error has none of them", () => {
    const { shell, root, text } = made();
    shell.show({ kind: "drawn", scene, maxErrorM: 2.4 });
    expect(text(".card")).toContain("Damrak 10");
    expect(text(".card")).toContain("Toll");
    expect(text(".card")).toContain("Drawn within 2.4 m of the route");
    expect(text("[role=status]")).toContain("Map drawn.");
    shell.showDetail({ title: "A", lines: ["b"] });
    shell.show({ kind: "failed", reason: "cancelled" });
    expect(root.querySelector(".card, .detail")).toBeNull();
    expect(root.querySelector<HTMLElement>(".title")!.hidden).toBe(true);
  });
});

test("names from the data are text, wherever they stand", () => {
  const { shell, root, text } = made();
  shell.show({ kind: "drawn", scene });
  shell.showDetail({ title: markup, lines: [markup] });
  expect(root.querySelector("img, b")).toBeNull();
  expect([text(".title"), text(".card .name"), text(".detail .name"), text(".detail .text")]).toEqual(Array(4).fill(markup));
});

test("a detail can be closed", () => {
  const { shell, root, actions } = made();
  shell.showDetail({ title: "A", lines: [] });
  root.querySelector<HTMLButtonElement>(".close")!.click();
  expect(actions.closeDetail).toHaveBeenCalledOnce();
  shell.showDetail(undefined);
  expect(root.querySelector(".detail")).toBeNull();
});

test("a thousand rows are counted, not listed", () => {
  const { shell, root, text } = made();
  const rows = Array.from({ length: 1050 }, (_, i) => ({ title: `Place ${i}`, text: "" }));
  shell.show({ kind: "drawn", scene: { ...scene, rows } });
  expect(root.querySelectorAll(".rows li")).toHaveLength(101);
  expect(text(".more")).toBe("and 950 more");
});

test("the tiles' owner is named where tiles are shown, a note stands where they are not", () => {
  const { shell, text } = made();
  shell.show({ kind: "drawn", scene });
  shell.setTiles("none", true);
  expect(text(".attribution")).toBe("© Owner");
  expect(text(".card")).not.toContain(texts.noTiles);
  shell.setTiles("blocked", false);
  expect(text(".attribution")).toBe("Natural Earth");
  expect(text(".card")).toContain(texts.noTiles);
});

describe("the host's context", () => {
  test("gives the theme, its variables and the buttons that it allows", () => {
    const { shell, root, actions } = made(readContext({ theme: "dark", availableDisplayModes: ["inline", "fullscreen"] }));
    expect(document.documentElement.dataset["theme"]).toBe("dark");
    const [zoomIn, zoomOut, fullscreen] = [...root.querySelectorAll<HTMLButtonElement>(".controls button")];
    zoomIn!.click();
    zoomOut!.click();
    fullscreen!.click();
    expect(actions.zoomBy.mock.calls).toEqual([[1], [-1]]);
    expect(actions.toggleFullscreen).toHaveBeenCalledOnce();
    shell.setContext(readContext({ theme: "light", styles: { variables: { "--font-sans": "Inter" } } }));
    expect(document.documentElement.dataset["theme"]).toBe("light");
    expect(document.documentElement.style.getPropertyValue("--font-sans")).toBe("Inter");
    expect(root.querySelectorAll(".controls button")).toHaveLength(2);
  });

  test.each([
    [{}, 420],
    [{ containerDimensions: { maxHeight: 300 } }, 300],
    [{ containerDimensions: { maxHeight: 900 } }, 420],
    [{ containerDimensions: { height: 500 } }, undefined],
    [{ displayMode: "fullscreen" }, undefined],
  ])("gives the height: %j", (context, want) => {
    expect(heightOf(readContext(context))).toBe(want);
  });
});

test("another language keeps lists open, and the keyboard on its row", () => {
  const { shell, root } = made();
  document.body.append(root);
  const inWords = (word: string): Scene => ({
    shapes: [],
    rows: [],
    legend: [],
    lists: [{ id: "way", title: `${word} list`, rows: [{ id: "toll-0", title: word, text: "" }] }],
  });
  shell.show({ kind: "drawn", scene: inWords("Toll") });
  const list = root.querySelector("details")!;
  list.open = true;
  list.dispatchEvent(new Event("toggle"));
  root.querySelector<HTMLElement>(".row")!.focus();
  shell.setContext(readContext({ locale: "de" }));
  shell.show({ kind: "drawn", scene: inWords("Maut") });
  expect(root.querySelector("details")!.open).toBe(true);
  expect(document.activeElement?.textContent).toBe("Maut");
  expect(document.activeElement?.classList.contains("row")).toBe(true);
});
