import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { JsonObject } from "./json.ts";
import type { Report } from "./report.ts";
import type { Scene } from "./scene/scene.ts";
import { testBrief } from "./scene/testbrief.ts";
import { resultTimeoutMs, Session, type Stage } from "./session.ts";
import { formatFor } from "./ui/format.ts";
import type { State } from "./ui/state.ts";
import { textsFor } from "./ui/texts.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const encode = (value: unknown): string => gzipSync(JSON.stringify(value)).toString("base64");
const route = {
  features: [{ geometry: { type: "LineString", coordinates: [[4, 52], [5, 53], [6, 52]] }, properties: {} }],
};
const incidents = { incidents: [{ geometry: { type: "LineString", coordinates: [[4, 52], [5, 53], [6, 52]] }, properties: {} }] };

function result(tool: string | undefined, meta: object, text: object = {}): JsonObject {
  return { content: [{ type: "text", text: JSON.stringify(text) }], _meta: tool === undefined ? meta : { tool, ...meta } };
}

const inline = (document: unknown, tool = "tomtom-routing", more: object = {}): JsonObject =>
  result(tool, { show_ui: true, "com.tomtom/app-data": encode(document), ...more });

class TestStage implements Stage {
  readonly shown: State[] = [];
  readonly drawn: { scene: Scene; maxErrorM: number | undefined }[] = [];
  readonly reworded: Scene[] = [];
  readonly reports: Report[] = [];
  readonly callTool = vi.fn(async (_name: string, _input: JsonObject): Promise<JsonObject> => ({}));
  readonly incidents = vi.fn(async (): Promise<unknown> => incidents);
  brief = testBrief;
  tool: string | undefined;
  drawing: Promise<void> = Promise.resolve();
  clockMs = 0;

  show(state: State): void {
    this.shown.push(state);
  }
  async draw(_tool: string, scene: Scene, maxErrorM: number | undefined): Promise<void> {
    this.drawn.push({ scene, maxErrorM });
    await this.drawing;
  }
  reword(scene: Scene): void {
    this.reworded.push(scene);
  }
  report(report: Report): void {
    this.reports.push(report);
  }
  hostTool(): string | undefined {
    return this.tool;
  }
  nowMs(): number {
    return this.clockMs;
  }
  get last(): State {
    return this.shown.at(-1)!;
  }
}

function made() {
  const stage = new TestStage();
  return { stage, session: new Session(stage) };
}

describe("a result", () => {
  test("is drawn and reported once, with how long it took", async () => {
    const { stage, session } = made();
    session.toolInputPartial();
    session.toolInput({ a: 1 });
    stage.clockMs = 5000;
    const done = session.toolResult(inline(route));
    stage.clockMs = 5042.4;
    await done;
    expect(stage.shown.map(({ kind }) => kind)).toEqual(["waiting", "waiting", "drawing", "drawn"]);
    expect(stage.reports).toEqual([{ tool: "tomtom-routing", outcome: "drawn", source: "inline", duration_ms: 42 }]);
  });

  test("that was fitted says how far it is off", async () => {
    const { stage, session } = made();
    const simplification = { points: 3, original_points: 9, max_error_m: 2.4, shed: [] };
    await session.toolResult(inline(route, "tomtom-routing", { "com.tomtom/simplification": simplification }));
    expect(stage.drawn[0]!.maxErrorM).toBe(2.4);
    expect(stage.last).toMatchObject({ kind: "drawn", maxErrorM: 2.4 });
  });

  test("that comes twice is drawn once", async () => {
    const { stage, session } = made();
    await session.toolResult(inline(route));
    await session.toolResult(inline(route));
    expect(stage.drawn).toHaveLength(1);
    expect(stage.reports).toHaveLength(1);
  });

  test("that another one overtakes is neither shown nor reported", async () => {
    const { stage, session } = made();
    let release = (): void => undefined;
    stage.drawing = new Promise((resolve) => (release = resolve));
    const first = session.toolResult(inline(route));
    await vi.waitFor(() => expect(stage.drawn).toHaveLength(1));
    const second = session.toolResult(result("tomtom-routing", { show_ui: false }));
    release();
    await Promise.all([first, second]);
    expect(stage.last.kind).toBe("hidden");
    expect(stage.reports.map(({ outcome }) => outcome)).toEqual(["hidden"]);
  });

  test("that is hidden calls nothing", async () => {
    const { stage, session } = made();
    await session.toolResult(result("tomtom-data-viz", { show_ui: false, "com.tomtom/app-data-status": "fetch" }));
    expect(stage.last).toEqual({ kind: "hidden" });
    expect(stage.reports).toMatchObject([{ outcome: "hidden", source: "none" }]);
    expect(stage.callTool).not.toHaveBeenCalled();
  });

  test("without shapes is empty, not an error", async () => {
    const { stage, session } = made();
    await session.toolResult(inline({ features: [] }, "tomtom-geocode"));
    expect(stage.last).toEqual({ kind: "empty" });
    expect(stage.reports).toMatchObject([{ outcome: "drawn", source: "inline", reason: "empty" }]);
  });

  test.each([
    ["an error of the tool", { ...inline(route), isError: true }, "tool_error", "none"],
    ["damaged data", inline(route, "tomtom-routing", { "com.tomtom/app-data": "x" }), "bad_data", "none"],
    ["no data", result("tomtom-routing", {}), "data_missing", "none"],
    ["data too large", result("tomtom-routing", { "com.tomtom/app-data-status": "too_large" }), "too_large", "none"],
    ["lost data", result("tomtom-routing", { "com.tomtom/app-data-status": "unavailable" }), "unavailable", "none"],
  ])("with %s fails, and is reported once", async (_name, raw, reason, source) => {
    const { stage, session } = made();
    await session.toolResult(raw);
    expect(stage.last).toEqual({ kind: "failed", reason });
    expect(stage.reports).toMatchObject([{ tool: "tomtom-routing", outcome: "error", source, reason }]);
  });

  test("that cannot be drawn fails without quoting the data", async () => {
    const { stage, session } = made();
    stage.draw = async () => {
      throw new TypeError("bad vertex 52.3779");
    };
    await session.toolResult(inline(route));
    expect(stage.last).toEqual({ kind: "failed", reason: "draw_failed" });
    expect(stage.reports).toMatchObject([{ reason: "draw_failed", source: "inline", detail: "TypeError" }]);
  });
});

describe("the tool's name", () => {
  test.each([
    ["from _meta", "tomtom-geocode", "x", "tomtom-geocode"],
    ["from the host, less its prefix", undefined, "mcp__maps__tomtom-geocode", "tomtom-geocode"],
    ["as the host has it", undefined, "geocode", "geocode"],
    ["unknown", undefined, undefined, "unknown"],
  ])("comes %s", async (_name, meta, host, want) => {
    const { stage, session } = made();
    stage.tool = host;
    await session.toolResult(result(meta, {}));
    expect(stage.reports[0]!.tool).toBe(want);
  });

  test("comes from the text where the host dropped _meta", async () => {
    const { stage, session } = made();
    await session.toolResult({ content: [{ type: "text", text: '{"show_ui":true,"tool":"tomtom-routing"}' }] });
    expect(stage.reports).toMatchObject([{ tool: "tomtom-routing", reason: "data_missing" }]);
  });
});

describe("waiting", () => {
  test("ends after a minute, and a late result is drawn all the same", async () => {
    const { stage, session } = made();
    session.toolInput({});
    await vi.advanceTimersByTimeAsync(resultTimeoutMs - 1);
    expect(stage.last.kind).toBe("waiting");
    await vi.advanceTimersByTimeAsync(1);
    expect(stage.last).toEqual({ kind: "failed", reason: "no_result" });
    await session.toolResult(inline(route));
    expect(stage.last.kind).toBe("drawn");
    expect(stage.reports.map(({ outcome, reason }) => [outcome, reason])).toEqual([["error", "no_result"], ["drawn", undefined]]);
  });

  test("is over with a result, also one that came before the input", async () => {
    const { stage, session } = made();
    await session.toolResult(inline(route));
    session.toolInput({});
    session.expectResult();
    session.toolInputPartial();
    await vi.advanceTimersByTimeAsync(2 * resultTimeoutMs);
    expect(stage.last.kind).toBe("drawn");
    expect(stage.reports).toHaveLength(1);
  });

  test("is over with the end of the view", async () => {
    const { stage, session } = made();
    session.toolInput({});
    session.end();
    await vi.advanceTimersByTimeAsync(2 * resultTimeoutMs);
    expect(stage.reports).toEqual([]);
  });

  test("is over when the call is cancelled", async () => {
    const { stage, session } = made();
    stage.tool = "tomtom-routing";
    session.toolInput({});
    session.toolCancelled();
    await vi.advanceTimersByTimeAsync(2 * resultTimeoutMs);
    expect(stage.last).toEqual({ kind: "failed", reason: "cancelled" });
    expect(stage.reports).toMatchObject([{ tool: "tomtom-routing", outcome: "error", reason: "cancelled" }]);
  });
});

describe("what hosts do out of turn", () => {
  test("a result that comes again without its data leaves the map", async () => {
    const { stage, session } = made();
    const whole = inline(route);
    await session.toolResult(whole);
    await session.toolResult({ content: whole["content"] });
    await session.toolResult({ content: whole["content"], _meta: { "host/id": 1 } });
    expect(stage.last.kind).toBe("drawn");
    expect(stage.reports).toHaveLength(1);
  });

  test("a result that comes again while it is drawn is drawn once", async () => {
    const { stage, session } = made();
    const whole = inline(route);
    const first = session.toolResult(whole);
    const second = session.toolResult({ content: whole["content"] });
    await Promise.all([first, second]);
    expect(stage.last.kind).toBe("drawn");
    expect(stage.reports.map(({ outcome }) => outcome)).toEqual(["drawn"]);
  });

  test("a result whose data comes late is drawn", async () => {
    const { stage, session } = made();
    const whole = inline(route);
    await session.toolResult({ content: whole["content"] });
    expect(stage.last).toEqual({ kind: "failed", reason: "data_missing" });
    await session.toolResult(whole);
    expect(stage.last.kind).toBe("drawn");
  });

  test("a word to stop that comes after the result means nothing", async () => {
    const { stage, session } = made();
    await session.toolResult(inline(route));
    session.toolCancelled();
    expect(stage.last.kind).toBe("drawn");
    expect(stage.reports).toHaveLength(1);
  });

  test("two words to stop are one", () => {
    const { stage, session } = made();
    session.toolCancelled();
    session.toolCancelled();
    expect(stage.reports).toHaveLength(1);
  });

  test("silence after the handshake ends too, and is reported once", async () => {
    const { stage, session } = made();
    session.expectResult();
    await vi.advanceTimersByTimeAsync(resultTimeoutMs);
    expect(stage.last).toEqual({ kind: "failed", reason: "no_result" });
    session.toolInput({});
    expect(stage.last.kind).toBe("waiting");
    await vi.advanceTimersByTimeAsync(resultTimeoutMs);
    expect(stage.last).toEqual({ kind: "failed", reason: "no_result" });
    expect(stage.reports).toHaveLength(1);
  });

  test("the minute begins anew with each part of the input", async () => {
    const { stage, session } = made();
    session.expectResult();
    for (let i = 0; i < 5; i++) {
      await vi.advanceTimersByTimeAsync(resultTimeoutMs - 1000);
      session.toolInputPartial();
    }
    session.toolInput({});
    await vi.advanceTimersByTimeAsync(resultTimeoutMs - 1);
    expect(stage.last.kind).toBe("waiting");
  });
});

describe("again", () => {
  test("fetches once more, and draws", async () => {
    const { stage, session } = made();
    session.toolInput({ data_url: "https://example.com/a" });
    stage.callTool.mockRejectedValueOnce(new Error("offline"));
    await session.toolResult(result("tomtom-data-viz", { "com.tomtom/app-data-status": "fetch" }));
    expect(stage.last).toEqual({ kind: "failed", reason: "fetch_failed" });
    const places = { geojson: { features: [{ geometry: { type: "Point", coordinates: [4, 52] }, properties: {} }] }, layers: [{ type: "markers" }] };
    stage.callTool.mockResolvedValueOnce({ content: [{ type: "text", text: JSON.stringify({ app_data: encode(places) }) }] });
    await session.again();
    expect(stage.last.kind).toBe("drawn");
    expect(stage.callTool.mock.calls.map(([name]) => name)).toEqual(["tomtom-get-app-data", "tomtom-get-app-data"]);
  });

  test("is nothing before there is a result", async () => {
    const { stage, session } = made();
    await session.again();
    expect(stage.shown).toEqual([]);
  });
});

describe("traffic", () => {
  const live = result("tomtom-traffic", { show_ui: true, "com.tomtom/app-data-status": "none" });

  test("is fetched live for the input", async () => {
    const { stage, session } = made();
    session.toolInput({ bbox: [1, 2, 3, 4] });
    await session.toolResult(live);
    expect(stage.incidents).toHaveBeenCalledWith({ bbox: [1, 2, 3, 4] });
    expect(stage.reports).toMatchObject([{ tool: "tomtom-traffic", outcome: "drawn", source: "fetched" }]);
    expect(stage.callTool).not.toHaveBeenCalled();
  });

  test("is drawn from a full text where it cannot be reached", async () => {
    const { stage, session } = made();
    stage.incidents.mockRejectedValue(new TypeError("failed to fetch"));
    await session.toolResult(result("tomtom-traffic", { show_ui: true }, incidents));
    expect(stage.reports).toMatchObject([{ outcome: "drawn", source: "text" }]);
  });

  test("without incidents still shows the box", async () => {
    const { stage, session } = made();
    stage.incidents.mockResolvedValue({ incidents: [] });
    session.toolInput({ bbox: [1, 2, 3, 4] });
    await session.toolResult(live);
    expect(stage.drawn[0]!.scene.bounds).toEqual({ west: 1, south: 2, east: 3, north: 4 });
    expect(stage.last).toEqual({ kind: "empty" });
  });
});

describe("another language", () => {
  const german: typeof testBrief = (input) => ({ ...testBrief(input), texts: textsFor("de"), format: formatFor("de") });

  test("rewords what is drawn, without a fetch or a report", async () => {
    const { stage, session } = made();
    await session.toolResult(inline(route));
    stage.brief = german;
    session.reword();
    expect(stage.drawn[0]!.scene.rows[0]!.title).toBe(textsFor("en").route);
    expect(stage.reworded.map(({ rows }) => rows[0]!.title)).toEqual([textsFor("de").route]);
    expect(stage.drawn).toHaveLength(1);
    expect(stage.reports).toHaveLength(1);
    expect(stage.callTool).not.toHaveBeenCalled();
  });

  test("that comes while a map is being drawn rewords it afterwards", async () => {
    const { stage, session } = made();
    let release = (): void => undefined;
    stage.drawing = new Promise((resolve) => (release = resolve));
    const done = session.toolResult(inline(route));
    await vi.waitFor(() => expect(stage.drawn).toHaveLength(1));
    stage.brief = german;
    session.reword();
    expect(stage.reworded).toEqual([]);
    release();
    await done;
    expect(stage.reworded.map(({ rows }) => rows[0]!.title)).toEqual([textsFor("de").route]);
  });

  test("has nothing to reword where there is no map", async () => {
    const { stage, session } = made();
    session.reword();
    await session.toolResult(inline(route));
    await session.toolResult({ ...result("tomtom-routing", {}, { error: "none" }), isError: true });
    session.reword();
    expect(stage.last.kind).toBe("failed");
    expect(stage.reworded).toEqual([]);
  });
});
