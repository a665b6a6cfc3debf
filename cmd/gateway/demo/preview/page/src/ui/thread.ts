// The conversation: turn after turn, the newest at the end.

import { el } from "./dom.ts";
import { remark, type Turn } from "./turn.ts";

/** Nearer to the end than this, a person reads along, and the end stays in sight. */
const nearPx = 120;

export class Thread {
  readonly element = el("div", { class: "thread", role: "log", "aria-label": "Conversation", tabindex: 0 });
  readonly #turns: Turn[] = [];
  #atEnd = true;

  /** The greeting stands there until somebody says something, and the suggestions from then on. */
  constructor(
    readonly greeting: HTMLElement,
    readonly suggestions: HTMLElement,
  ) {
    this.element.append(greeting);
    this.element.addEventListener("scroll", () => {
      const { scrollHeight, scrollTop, clientHeight } = this.element;
      this.#atEnd = scrollHeight - scrollTop - clientHeight < nearPx;
    });
    this.#sizes.observe(this.element);
  }

  /** Maps and questions take their room when they are there. */
  readonly #sizes = new ResizeObserver(() => {
    if (this.#atEnd) this.element.scrollTop = this.element.scrollHeight;
  });

  /** add puts a turn at the end; one that is there already stays where it is. */
  add(turn: Turn): void {
    const hadFocus = this.greeting.contains(document.activeElement) || turn.element.contains(document.activeElement);
    this.greeting.remove();
    this.suggestions.hidden = false;
    // What was pressed goes away: the keyboard's place is the conversation.
    if (hadFocus) this.element.focus({ preventScroll: true });
    if (!this.#turns.includes(turn)) {
      this.#turns.push(turn);
      this.#append(turn.element);
    }
    this.reveal(turn);
  }

  turnOf(callId: string): Turn | undefined {
    return this.#turns.find(({ call }) => call?.id === callId);
  }

  reveal(turn: Turn): void {
    if (turn === this.#turns.at(-1)) this.element.scrollTop = this.element.scrollHeight;
    else turn.element.scrollIntoView({ block: "nearest" });
  }

  remark(text: string): void {
    this.#append(remark(text, "said by the map"));
    this.element.scrollTop = this.element.scrollHeight;
  }

  #append(element: HTMLElement): void {
    this.element.append(element);
    this.#sizes.observe(element);
  }
}
