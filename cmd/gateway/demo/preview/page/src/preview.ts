// What happens on the page: calls, the widget of the one that is looked at, limits, switches.

import { getToolUiResourceUri } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { Client } from "./api/client.ts";
import type { Call, Fit, Position, Session, Tool } from "./api/types.ts";
import { drawnLines } from "./fit/document.ts";
import { HostDesk } from "./host/desk.ts";
import { changeable, contextFor, type Choices } from "./host/context.ts";
import { View } from "./host/view.ts";
import type { JsonObject } from "./json.ts";
import type { Layout } from "./ui/layout.ts";
import { Turn } from "./ui/turn.ts";

/** Looked is the call that is looked at. */
interface Looked {
  readonly turn: Turn;
  readonly call: Call;
  readonly tool: Tool;
  fit: Fit;
  original: readonly (readonly Position[])[];
  /** Whether its view has been given a result; until then it is given the fit of the moment when it can take one. */
  given: boolean;
}

export class Preview {
  #looked: Looked | undefined;
  #view: View | undefined;
  /** The calls that are being made. A press too many of a button is not another call, which may be billed. */
  readonly #running = new Set<string>();
  /** Whoever asked last for a call or a limit may go on; what an earlier one still waits for comes to nothing. */
  #latest = 0;
  /** The same for views. A call or a limit that is waited for outlasts the view that was there before. */
  #latestView = 0;

  constructor(
    readonly client: Client,
    readonly session: Session,
    readonly layout: Layout,
    readonly desk: HostDesk,
  ) {}

  /** run runs a tool once, as an agent would after that sentence. */
  async run(name: string, input: JsonObject, sentence?: string): Promise<void> {
    const tool = this.session.tools.find((known) => known.name === name);
    const asked = JSON.stringify([name, input]);
    if (tool === undefined || this.#running.has(asked)) return;
    this.#running.add(asked);
    const limit = this.session.limits.tools[name] ?? this.session.limits.default;
    const latest = ++this.#latest;
    const turn = new Turn(sentence, name, input, (again) => void this.open(again.call!, again));
    await this.#rest();
    this.layout.openTools(false);
    this.layout.thread.add(turn);
    this.layout.picker.choose(name, input);
    try {
      const { fit, ...call } = await this.client.call(name, input, limit);
      turn.ran(call);
      if (latest === this.#latest) await this.#look(turn, call, tool, fit);
      else turn.rest();
    } catch (error) {
      turn.failed((error as Error).message);
    } finally {
      this.#running.delete(asked);
    }
    await this.#listCalls();
  }

  /** open shows a call again that ran before, in its turn or in a new one. No tool runs for it. */
  async open(call: Call, turn?: Turn): Promise<void> {
    const tool = this.session.tools.find((known) => known.name === call.tool);
    if (tool === undefined || this.#looked?.call.id === call.id) return;
    const limit = this.session.limits.tools[call.tool] ?? this.session.limits.default;
    const latest = ++this.#latest;
    const place = turn ?? this.layout.thread.turnOf(call.id) ?? new Turn(undefined, call.tool, call.arguments, (again) => void this.open(again.call!, again));
    await this.#rest();
    this.layout.openTools(false);
    place.ran(call);
    this.layout.thread.add(place);
    this.layout.picker.choose(call.tool, call.arguments);
    try {
      const fit = await this.client.fit(call.id, limit, true);
      if (latest === this.#latest) await this.#look(place, call, tool, fit);
    } catch (error) {
      place.failed((error as Error).message);
    }
    await this.#listCalls();
  }

  /** refit gives the host another limit. The same widget gets the new result. */
  async refit(limit: number): Promise<void> {
    const looked = this.#looked;
    if (looked === undefined || looked.fit.limit === limit) return;
    const latest = ++this.#latest;
    const fit = await this.client.fit(looked.call.id, limit, looked.original.length === 0).catch((error: Error) => error);
    if (latest !== this.#latest) return;
    if (fit instanceof Error) {
      this.layout.limit.fail(looked.fit, fit.message);
      return;
    }
    looked.fit = fit;
    if (fit.original !== undefined) looked.original = fit.original;
    await this.#tell(looked);
    this.desk.log.note("limit", `${limit.toLocaleString("en")} characters`, { status: fit.status, ...fit.simplification });
    // A widget that has drawn keeps its map when a result without map data follows: a host would open another.
    if (fit.data_characters === 0 || this.#view === undefined) await this.#show(looked);
    else if (looked.given) await this.#view.result(fit.result);
  }

  /** changed tells the widget what the switches say now. */
  changed(choices: Choices): void {
    this.layout.stage.apply(choices);
    void this.#view?.changeContext(changeable(choices, this.layout.stage.columnPx));
  }

  /** replay shows the call that is looked at in a new view, for a host that has other faults now. */
  async replay(): Promise<void> {
    if (this.#looked !== undefined) await this.#show(this.#looked);
  }

  async #look(turn: Turn, call: Call, tool: Tool, fit: Fit): Promise<void> {
    const looked: Looked = { turn, call, tool, fit, original: fit.original ?? [], given: false };
    this.#looked = looked;
    this.layout.limit.begin(fit.limit);
    this.layout.widget.begin();
    await this.#tell(looked);
    await this.#show(looked);
  }

  /** tell shows in numbers what agent and widget get. */
  async #tell({ turn, fit, original }: Looked): Promise<void> {
    const drawn = await drawnLines(fit.result);
    turn.tell(fit);
    this.layout.limit.show(fit);
    this.layout.widget.show(fit, drawn, original);
    this.layout.agent.show(fit);
    this.layout.inspect(true);
  }

  async #show(looked: Looked): Promise<void> {
    if (looked !== this.#looked) return;
    const { turn, call, tool } = looked;
    const latest = ++this.#latestView;
    looked.given = false;
    await this.#leave();
    if (latest !== this.#latestView) return;
    const { stage, switches, approvals } = this.layout;
    const uri = getToolUiResourceUri(tool as Parameters<typeof getToolUiResourceUri>[0]);
    if (uri === undefined) {
      turn.hold(this.layout.plain(looked.fit));
      return;
    }
    turn.hold(stage.element, approvals.element);
    stage.apply(switches.choices);
    const resource = await this.client.resource(uri).catch((error: Error) => error);
    if (latest !== this.#latestView) return;
    if (resource instanceof Error) {
      turn.failed(resource.message);
      return;
    }
    const view = new View(
      stage.slot,
      {
        resource,
        context: contextFor(switches.choices, stage.columnPx, tool),
        faults: new Set(switches.active),
        version: this.session.gateway.version,
      },
      this.desk.guestFor(call, () => view),
    );
    this.#view = view;
    this.desk.log.note("view", uri, { csp: resource.csp, faults: [...switches.active], ...(resource.refused ? { refused: resource.refused } : {}) });
    this.layout.thread.reveal(turn);
    if ((await view.input(call.arguments)) && view === this.#view) {
      looked.given = true;
      await view.result(looked.fit.result);
    }
    if (view === this.#view) switches.allow((mode) => view.canShow(mode));
  }

  /** rest lets the widget say goodbye, and leaves a button in its place. */
  async #rest(): Promise<void> {
    const looked = this.#looked;
    this.#looked = undefined;
    ++this.#latestView;
    await this.#leave();
    looked?.turn.rest();
  }

  async #leave(): Promise<void> {
    const view = this.#view;
    this.#view = undefined;
    this.layout.approvals.clear();
    this.layout.agent.showContext(undefined);
    this.layout.switches.choose({ mode: "inline" });
    await view?.end();
  }

  async #listCalls(): Promise<void> {
    const calls = await this.client.calls().catch(() => undefined);
    if (calls !== undefined) this.layout.history.show(calls, this.#looked?.call.id ?? "");
  }
}
