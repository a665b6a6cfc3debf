// One tool call from the host's first word to the drawn map: decides what to show, and reports each end once.

import { Failure, type Reason } from "./data/failure.ts";
import { readResult, type Simplification, type ToolResult } from "./data/result.ts";
import { findAppData, trafficTool, type AppData, type CallTool, type Source } from "./data/source.ts";
import { holdsGeometry } from "./data/geometry.ts";
import type { JsonObject } from "./json.ts";
import type { Report } from "./report.ts";
import type { Brief } from "./scene/brief.ts";
import { buildScene } from "./scene/build.ts";
import type { Scene } from "./scene/scene.ts";
import type { State } from "./ui/state.ts";

/** What a session needs of the rest of the document. */
export interface Stage {
  show(state: State): void;
  /** draw resolves once the scene is on the canvas. */
  draw(tool: string, scene: Scene, maxErrorM: number | undefined): Promise<void>;
  /** reword puts the same scene in other words in place of the one that is drawn. */
  reword(scene: Scene): void;
  brief(input: JsonObject | undefined): Brief;
  callTool: CallTool;
  /** Live incidents for a tool input. */
  incidents(input: JsonObject | undefined): Promise<unknown>;
  report(report: Report): void;
  /** The tool's name as the host knows it. */
  hostTool(): string | undefined;
  nowMs(): number;
}

export const resultTimeoutMs = 60_000;

export class Session {
  #input: JsonObject | undefined;
  /** The result that the map is drawn from. */
  #result: Heard | undefined;
  /** What is on the map. */
  #drawn: { readonly tool: string; readonly document: unknown } | undefined;
  #cancelled = false;
  #gaveUp = false;
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #startedMs: number;

  constructor(readonly stage: Stage) {
    this.#startedMs = stage.nowMs();
  }

  toolInputPartial(): void {
    if (this.#turn > 0 || this.#input !== undefined) return;
    this.stage.show({ kind: "waiting", partial: true });
    this.expectResult();
  }

  toolInput(input: JsonObject): void {
    this.#input = input;
    if (this.#turn > 0) return;
    this.stage.show({ kind: "waiting", partial: false });
    this.expectResult();
  }

  /** expectResult gives the host a minute from now. A result that comes later still is drawn. */
  expectResult(): void {
    if (this.#turn > 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#giveUp(), resultTimeoutMs);
  }

  /** toolCancelled means nothing where there is a result: it came before the word to stop. */
  toolCancelled(): void {
    if (this.#result !== undefined || this.#cancelled) return;
    this.#cancelled = true;
    this.#begin();
    this.#fail("", "none", new Failure("cancelled"));
  }

  async toolResult(raw: JsonObject): Promise<void> {
    const heard = { answer: JSON.stringify(raw["content"]), whole: JSON.stringify(raw), raw };
    // Hosts were seen to send a result twice, and the second time without what they drop on the way.
    if (this.#result !== undefined && isSameAgain(this.#result, heard)) return;
    this.#result = heard;
    await this.#show(raw);
  }

  /** again draws the last result once more, for a person who saw a fetch fail. No tool of TomTom's runs again. */
  async again(): Promise<void> {
    if (this.#result !== undefined) await this.#show(this.#result.raw);
  }

  async #show(raw: JsonObject): Promise<void> {
    const turn = this.#begin();
    const result = readResult(raw);
    const tool = result.tool ?? bareName(this.stage.hostTool()) ?? "";
    let source: Source = "none";
    try {
      if (result.isError) throw new Failure("tool_error");
      if (!result.showUI) {
        this.stage.show({ kind: "hidden" });
        this.#report({ tool, outcome: "hidden", source });
        return;
      }
      this.stage.show({ kind: "drawing" });
      const found = await this.#find(result, tool);
      source = found.source;
      if (turn !== this.#turn) return;
      await this.#draw(found, tool, result.simplification, turn);
    } catch (error) {
      if (turn === this.#turn) this.#fail(tool, source, asFailure(error));
    }
  }

  /** reword says what is on the map once more, in the brief's words of now. Nothing is fetched or reported for it. */
  reword(): void {
    if (this.#drawn === undefined) return;
    const { tool, document } = this.#drawn;
    this.stage.reword(buildScene(tool, document, this.stage.brief(this.#input)));
  }

  end(): void {
    this.#begin();
  }

  /** begin makes whatever still runs of an earlier result come to nothing. */
  #begin(): number {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#drawn = undefined;
    this.#startedMs = this.stage.nowMs();
    return ++this.#turn;
  }

  async #find(result: ToolResult, tool: string): Promise<AppData> {
    if (tool !== trafficTool || result.appData !== undefined) {
      return findAppData(result, tool, this.#input, this.stage.callTool);
    }
    try {
      return { source: "fetched", document: await this.stage.incidents(this.#input) };
    } catch (error) {
      // A full answer holds the incidents of the moment it was given: late, but a map.
      if (result.text !== undefined && holdsGeometry(result.text, tool)) return { source: "text", document: result.text };
      throw error;
    }
  }

  async #draw({ source, document, passed }: AppData, tool: string, fitted: Simplification | undefined, turn: number): Promise<void> {
    const brief = this.stage.brief(this.#input);
    const scene = document === undefined ? undefined : buildScene(tool, document, brief);
    if (scene === undefined || scene.shapes.length === 0) {
      if (scene?.bounds !== undefined) await this.stage.draw(tool, scene, undefined);
      if (turn !== this.#turn) return;
      this.stage.show({ kind: "empty" });
      this.#report({ tool, outcome: "drawn", source, reason: "empty" });
      return;
    }
    const maxErrorM = source === "inline" ? fitted?.maxErrorM : undefined;
    await this.stage.draw(tool, scene, maxErrorM);
    if (turn !== this.#turn) return;
    this.stage.show({ kind: "drawn", scene, ...(maxErrorM !== undefined ? { maxErrorM } : {}) });
    this.#drawn = { tool, document };
    if (this.stage.brief(this.#input).format !== brief.format) this.reword();
    this.#report({ tool, outcome: "drawn", source, ...(passed !== undefined ? { reason: passed } : {}) });
  }

  #giveUp(): void {
    const failure = new Failure("no_result");
    if (this.#gaveUp) this.stage.show({ kind: "failed", reason: failure.reason });
    else this.#fail("", "none", failure);
    this.#gaveUp = true;
  }

  #fail(tool: string, source: Source, { reason, detail }: { reason: Reason; detail: string }): void {
    this.stage.show({ kind: "failed", reason });
    const name = tool === "" ? (bareName(this.stage.hostTool()) ?? "") : tool;
    this.#report({ tool: name, outcome: "error", source, reason, ...(detail === "" ? {} : { detail }) });
  }

  #report(report: Report): void {
    const tool = report.tool === "" ? "unknown" : report.tool;
    this.stage.report({ ...report, tool, duration_ms: Math.round(this.stage.nowMs() - this.#startedMs) });
  }
}

interface Heard {
  /** What the agent reads. */
  readonly answer: string | undefined;
  readonly whole: string;
  readonly raw: JsonObject;
}

function isSameAgain(before: Heard, now: Heard): boolean {
  if (before.whole === now.whole) return true;
  const [first, second] = [readResult(before.raw), readResult(now.raw)];
  return before.answer === now.answer && first.appData !== undefined && second.appData === undefined && second.showUI;
}

function asFailure(error: unknown): Failure {
  // A message may quote the data that it failed on; the class does not.
  return error instanceof Failure ? error : new Failure("draw_failed", error instanceof Error ? error.name : "");
}

/** bareName strips what a host puts before the names of a server's tools. */
function bareName(name: string | undefined): string | undefined {
  return name === undefined ? undefined : (/tomtom-[a-z-]+$/.exec(name)?.[0] ?? name);
}
