// The calls that ran, newest first. Choosing one shows it again; nothing runs for that.

import type { Call } from "../api/types.ts";
import { button, el } from "./dom.ts";
import { duration } from "./format.ts";

export class CallList {
  readonly element = el("ol", { class: "history" });
  #current = "";

  constructor(readonly choose: (call: Call) => void) {}

  show(calls: readonly Call[], current = this.#current): void {
    this.#current = current;
    const items = calls.map((call) => {
      const name = el("span", { class: "history-tool" }, call.tool.replace(/^tomtom-/, ""));
      const about = el("span", { class: "history-about" }, brief(call));
      const time = el("time", { datetime: call.started }, `${clock(call.started)} · ${duration(call.duration_ms)}`);
      const isCurrent = call.id === current;
      return el("li", {}, button([name, about, time], () => this.choose(call), { ...(isCurrent ? { "aria-current": "true" } : {}) }));
    });
    const hadFocus = this.element.contains(document.activeElement);
    this.element.replaceChildren(...(items.length > 0 ? items : [el("li", { class: "note" }, "Nothing ran yet.")]));
    if (hadFocus) this.element.querySelector<HTMLElement>('[aria-current="true"]')?.focus();
  }
}

function clock(started: string): string {
  return new Date(started).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

/** brief is the arguments on a line. */
function brief({ arguments: input }: Call): string {
  const { show_ui: _, ...rest } = input;
  return Object.values(rest)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(" · ")
    .slice(0, 80);
}
