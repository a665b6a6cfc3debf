// @vitest-environment happy-dom
import { describe, expect, test, vi } from "vitest";
import type { Ask } from "./ask.ts";
import { detailFor, place } from "./popup.ts";
import { textsFor } from "./texts.ts";

function actions(ask?: Ask) {
  return { close: vi.fn(), openLink: vi.fn(), ask: () => ask, say: vi.fn() };
}

const box = { width: 200, height: 100 };
const frame = { width: 600, height: 400 };

test.each([
  ["above, in the middle", { x: 300, y: 300 }, { x: 200, y: 184 }],
  ["below where there is no room above", { x: 300, y: 50 }, { x: 200, y: 66 }],
  ["never past an edge", { x: 5, y: 395 }, { x: 8, y: 279 }],
  ["nor past the other", { x: 599, y: 200 }, { x: 392, y: 84 }],
])("a box stands %s", (_name, at, want) => {
  expect(place(at, box, frame)).toEqual(want);
});

test("a box too high for either side stays in the frame", () => {
  expect(place({ x: 300, y: 200 }, { width: 200, height: 390 }, frame)).toEqual({ x: 200, y: 8 });
});

test("a link is a button, and only text is shown", () => {
  const open = vi.fn();
  const markup = "<b>x</b>";
  const detail = { title: markup, kind: markup, lines: [markup], fields: [{ name: markup, text: markup }], link: "https://a.example/" };
  const made = detailFor(detail, textsFor("en"), { ...actions(), openLink: open });
  expect(made.querySelector("b, a")).toBeNull();
  expect(made.textContent!.split(markup)).toHaveLength(6);
  made.querySelector<HTMLButtonElement>(".link")!.click();
  expect(open).toHaveBeenCalledExactlyOnceWith("https://a.example/");
});

describe("asking about what is picked", () => {
  const detail = { title: 'The "Stag"\n', lines: ["Rokin 31"] };
  const asking = (ask?: Ask) => {
    const given = actions(ask);
    const made = detailFor(detail, textsFor("en"), given);
    return { ...given, pressed: made.querySelector<HTMLElement>(".ask") };
  };

  test("is not offered where the host takes no messages", () => {
    expect(asking().pressed).toBeNull();
  });

  test("names it, once, and says that it did", async () => {
    const ask = vi.fn(async () => undefined);
    const { pressed, say } = asking(ask);
    expect(ask).not.toHaveBeenCalled();
    pressed!.click();
    pressed!.click();
    await vi.waitFor(() => expect(pressed!.textContent).toBe(textsFor("en").asked));
    pressed!.click();
    expect(ask).toHaveBeenCalledExactlyOnceWith(`Tell me more about "The 'Stag' ; Rokin 31" on the map.`);
    expect(say).toHaveBeenCalledExactlyOnceWith(textsFor("en").asked);
  });

  test("says that the host did not take it, and can be tried again", async () => {
    const ask = vi.fn<Ask>().mockRejectedValueOnce(new Error("no")).mockResolvedValueOnce(undefined);
    const { pressed, say } = asking(ask);
    pressed!.click();
    await vi.waitFor(() => expect(pressed!.textContent).toBe(textsFor("en").notAsked));
    expect(say).toHaveBeenCalledWith(textsFor("en").notAsked);
    pressed!.click();
    await vi.waitFor(() => expect(pressed!.textContent).toBe(textsFor("en").asked));
  });
});
