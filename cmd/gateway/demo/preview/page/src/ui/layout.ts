// The page as a whole: what a person may ask on the left, the conversation in the middle, what became of it on the right,
// the messages at the foot.

import type { Call, Fit, Prompt, Session, Tool } from "../api/types.ts";
import type { Choices, Theme } from "../host/context.ts";
import type { Fault } from "../host/faults.ts";
import type { JsonObject } from "../json.ts";
import type { Log } from "../log/log.ts";
import { AgentPanel } from "./agentpanel.ts";
import { Approvals } from "./approvals.ts";
import { el } from "./dom.ts";
import { CallList } from "./history.ts";
import { icon } from "./icons.ts";
import { LimitPanel } from "./limit.ts";
import { LogPane } from "./logpane.ts";
import { Picker } from "./picker.ts";
import { promptList } from "./prompts.ts";
import { Stage } from "./stage.ts";
import { Switches } from "./switches.ts";
import { Thread } from "./thread.ts";
import { WidgetPanel } from "./widgetpanel.ts";

export interface LayoutEvents {
  said(prompt: Prompt): void;
  ran(tool: Tool, input: JsonObject): void;
  opened(call: Call): void;
  limited(limit: number): void;
  chosen(choices: Choices): void;
  faults(active: ReadonlySet<Fault>): void;
}

/** A widget waits a minute for a tool's answer. */
const approvalMs = 50_000;

export class Layout {
  readonly thread: Thread;
  readonly picker: Picker;
  readonly history: CallList;
  readonly switches: Switches;
  readonly stage: Stage;
  readonly approvals = new Approvals(approvalMs);
  readonly limit: LimitPanel;
  readonly widget = new WidgetPanel();
  readonly agent = new AgentPanel();
  readonly log: LogPane;
  readonly #inspector = el("aside", { class: "inspector", "aria-label": "What became of the result", inert: true });

  constructor(root: HTMLElement, session: Session, log: Log, theme: Theme, events: LayoutEvents) {
    this.thread = new Thread(greeting(session, events.said));
    this.picker = new Picker(session, events.ran);
    this.history = new CallList(events.opened);
    this.switches = new Switches(theme, { chosen: events.chosen, faults: events.faults });
    this.stage = new Stage(() => this.switches.choose({ mode: "inline" }));
    this.limit = new LimitPanel(session.limits.steps, events.limited);
    this.log = new LogPane(log);
    this.history.show([]);
    this.#inspector.append(this.limit.element, this.widget.element, this.agent.element);
    const sidebar = el(
      "nav",
      { class: "sidebar", "aria-label": "Calls" },
      section("Say", promptList(session.prompts, events.said)),
      section("Or call a tool", this.picker.element),
      section("History", this.history.element),
    );
    const main = el("main", { class: "main" }, this.switches.element, this.thread.element);
    root.replaceChildren(header(session), el("div", { class: "columns" }, sidebar, main, this.#inspector), this.log.element);
  }

  /** inspect shows the column of figures, which has nothing to say before there is a result. */
  inspect(has: boolean): void {
    this.#inspector.inert = !has;
  }

  /** plain stands where a tool has no widget. */
  plain({ agent }: Fit): HTMLElement {
    return el("pre", { class: "plain" }, agent.join("\n"));
  }
}

function section(title: string, content: HTMLElement): HTMLElement {
  return el("section", { class: "side" }, el("h2", {}, title), content);
}

function header({ gateway, upstream }: Session): HTMLElement {
  const part = (name: string, detail: string): HTMLElement => el("li", {}, el("b", {}, name), el("span", {}, detail));
  const path = el("ol", { class: "path", "aria-label": "The way of a call" }, part("this page", "host"), part("gateway", gateway.version), part(upstream.name, upstream.version));
  return el("header", { class: "top" }, el("h1", {}, icon("map"), "TomTom MCP gateway"), path);
}

function greeting({ prompts }: Session, said: (prompt: Prompt) => void): HTMLElement {
  return el("div", { class: "greeting" }, el("p", { class: "greeting-title" }, "Where to?"), promptList(prompts.slice(0, 4), said));
}
