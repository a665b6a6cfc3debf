// The conversation: turn after turn, the newest at the end.

import { el } from "./dom.ts";
import { remark, type Turn } from "./turn.ts";

export class Thread {
  readonly element = el("div", { class: "thread", role: "log", "aria-label": "Conversation", tabindex: 0 });
  readonly #turns: Turn[] = [];

  /** The greeting stands there until somebody says something. */
  constructor(readonly greeting: HTMLElement) {
    this.element.append(greeting);
  }

  /** add puts a turn at the end; one that is there already stays where it is. */
  add(turn: Turn): void {
    this.greeting.remove();
    if (!this.#turns.includes(turn)) {
      this.#turns.push(turn);
      this.element.append(turn.element);
    }
    this.reveal(turn);
  }

  turnOf(callId: string): Turn | undefined {
    return this.#turns.find(({ call }) => call?.id === callId);
  }

  reveal(turn: Turn): void {
    turn.element.scrollIntoView({ block: "end" });
  }

  remark(text: string): void {
    const said = remark(text, "said by the map");
    this.element.append(said);
    said.scrollIntoView({ block: "end" });
  }
}
