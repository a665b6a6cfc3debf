// Cards on which a person approves or rejects what a widget asks for.

import type { JsonObject } from "../json.ts";
import { button, el } from "./dom.ts";
import { icon } from "./icons.ts";

export interface Question {
  /** What is asked for, such as the name of a tool or an address. */
  readonly what: string;
  readonly sentence: string;
  readonly detail?: JsonObject;
  readonly note: string;
}

export type Answer = "approved" | "rejected" | "timed out";

export class Approvals {
  readonly element = el("div", { class: "approvals", role: "region", "aria-label": "Questions of the widget", "aria-live": "polite" });
  readonly #open = new Set<(answer: Answer) => void>();

  /** patienceMs is how long a question stands: a widget waits no longer for an answer. */
  constructor(readonly patienceMs: number) {}

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve) => {
      const finish = (answer: Answer): void => {
        clearTimeout(timer);
        const hadFocus = card.contains(document.activeElement);
        card.remove();
        // The keyboard's place is the next question, or the conversation.
        if (hadFocus) (this.element.querySelector<HTMLElement>("button") ?? this.element.closest<HTMLElement>(".thread"))?.focus();
        this.#open.delete(finish);
        resolve(answer);
      };
      const card = cardFor(question, finish);
      const timer = setTimeout(() => finish("timed out"), this.patienceMs);
      this.#open.add(finish);
      this.element.append(card);
    });
  }

  /** clear rejects what is still open: who asked is gone. */
  clear(): void {
    for (const finish of [...this.#open]) finish("rejected");
  }
}

function cardFor({ what, sentence, detail, note }: Question, finish: (answer: Answer) => void): HTMLElement {
  const said = el("p", {}, `${sentence} `, el("code", {}, what));
  const input = detail === undefined ? [] : [el("details", {}, el("summary", {}, "Arguments"), el("pre", {}, JSON.stringify(detail, null, 2)))];
  const approve = button("Approve", () => finish("approved"), { class: "primary" });
  const reject = button("Reject", () => finish("rejected"));
  const text = el("div", { class: "approval-text" }, said, el("div", { class: "approval-foot-note" }, el("p", { class: "note" }, note), ...input));
  return el("div", { class: "approval", role: "group", "aria-label": `${sentence} ${what}` }, icon("shield"), text, el("div", { class: "approval-foot" }, approve, reject));
}
