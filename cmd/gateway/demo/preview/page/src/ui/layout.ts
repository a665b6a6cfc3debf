// The page as a whole: what a person may ask on the left, the conversation in the middle, what became of it on the right,
// the messages at the foot.

import type { Call, Fit, Prompt, Session, Tool } from "../api/types.ts";
import type { Choices, Theme } from "../host/context.ts";
import type { Fault } from "../host/faults.ts";
import type { JsonObject } from "../json.ts";
import type { Log } from "../log/log.ts";
import { AgentPanel } from "./agentpanel.ts";
import { Approvals } from "./approvals.ts";
import { button, el } from "./dom.ts";
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
  readonly #tools: HTMLButtonElement;
  readonly #sidebar = el("nav", { class: "sidebar", "aria-label": "Calls" });
  readonly #inspector = el("aside", { class: "inspector", "aria-label": "What became of the result", inert: true });

  constructor(readonly root: HTMLElement, session: Session, log: Log, theme: Theme, events: LayoutEvents) {
    this.thread = new Thread(greeting(session, events.said), suggestions(session, events.said));
    this.picker = new Picker(session, events.ran);
    this.history = new CallList(events.opened);
    this.switches = new Switches(theme, { chosen: events.chosen, faults: events.faults });
    this.stage = new Stage(() => this.switches.choose({ mode: "inline" }));
    this.limit = new LimitPanel(session.limits.steps, session.limits.default, events.limited);
    this.log = new LogPane(log);
    this.history.show([]);
    this.#inspector.append(this.limit.element, this.widget.element, this.agent.element);
    this.#sidebar.append(section("Call a tool", this.picker.element), section("History", this.history.element));
    const main = el("main", { class: "main" }, this.switches.element, this.thread.element, this.thread.suggestions);
    this.#tools = button("Tools", () => this.openTools(!root.classList.contains("tools-open")), { class: "open-tools", "aria-expanded": "false" });
    root.replaceChildren(header(session, this.#tools), el("div", { class: "columns" }, this.#sidebar, main, this.#inspector), this.log.element);
  }

  /** openTools is for windows without room for a third column, where tools and history come in from the side. */
  openTools(open: boolean): void {
    const hadFocus = this.root.classList.contains("tools-open") && !open && this.#sidebar.contains(document.activeElement);
    this.root.classList.toggle("tools-open", open);
    if (hadFocus) this.#tools.focus();
    this.#tools.setAttribute("aria-expanded", String(open));
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

function header({ gateway, upstream }: Session, tools: HTMLElement): HTMLElement {
  const part = (name: string, detail: string, title?: string): HTMLElement => el("li", { title }, el("b", {}, name), ...(detail === "" ? [] : [el("span", {}, detail)]));
  const path = el("ol", { class: "path", "aria-label": "The way of a call" }, part("this page", "host"), part("gateway", gateway.version === "unknown" ? "" : gateway.version), part(upstream.name, upstream.version, upstream.url));
  return el("header", { class: "top" }, el("h1", {}, icon("map"), "TomTom MCP gateway"), tools, path);
}

function greeting({ prompts }: Session, said: (prompt: Prompt) => void): HTMLElement {
  return el("div", { class: "greeting" }, el("p", { class: "greeting-title" }, "Where to?"), promptList(prompts, said));
}

/** suggestions are the same sentences below a conversation that has begun. */
function suggestions({ prompts }: Session, said: (prompt: Prompt) => void): HTMLElement {
  return el("div", { class: "suggestions", hidden: true, "aria-label": "Say", role: "group" }, promptList(prompts, said));
}
