// What stands over the map while there is none to look at: what is going on, or why there is nothing and what can be
// done about it.

import type { Reason } from "../data/failure.ts";
import { element } from "./dom.ts";
import { icon, type Icon } from "./icons.ts";
import type { State } from "./state.ts";
import type { Texts } from "./texts.ts";

const icons: Readonly<Record<Reason, Icon>> = {
  tool_error: "error",
  cancelled: "stop",
  data_missing: "missing",
  too_large: "large",
  unavailable: "lost",
  bad_data: "damaged",
  fetch_failed: "offline",
  no_result: "late",
  no_live_traffic: "offline",
  draw_failed: "error",
};

/** What was fetched can be fetched again without a tool of TomTom's running again. */
const fetched: ReadonlySet<Reason> = new Set<Reason>(["fetch_failed", "no_live_traffic"]);

export interface Words {
  readonly icon: Icon;
  readonly title: string;
  readonly text: string;
  readonly again: boolean;
}

/** wordsFor answers undefined for the states that need no message. */
export function wordsFor(state: State, texts: Texts): Words | undefined {
  switch (state.kind) {
    case "waiting":
      return state.partial
        ? { icon: "write", title: texts.preparing, text: "", again: false }
        : { icon: "wait", title: texts.waiting, text: "", again: false };
    case "drawing":
      return { icon: "draw", title: texts.drawing, text: "", again: false };
    case "empty":
      return { icon: "empty", title: texts.empty, text: "", again: false };
    case "failed":
      return { icon: icons[state.reason], ...texts.failures[state.reason], again: fetched.has(state.reason) };
    default:
      return undefined;
  }
}

export class Message {
  readonly element = element("div", "message panel");

  constructor(readonly again: () => void) {}

  show(words: Words | undefined, texts: Texts): void {
    this.element.hidden = words === undefined;
    if (words === undefined) {
      this.element.replaceChildren();
      return;
    }
    const said = element("div", "said", element("p", "name", words.title));
    if (words.text !== "") said.append(element("p", "text", words.text));
    if (words.again) {
      const pressed = element("button", "again", texts.again);
      pressed.type = "button";
      pressed.addEventListener("click", () => this.again());
      said.append(pressed);
    }
    this.element.replaceChildren(icon(words.icon), said);
  }
}
