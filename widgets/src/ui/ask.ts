// The button that asks the agent about what is picked: in the person's name, and only ever because it was pressed.

import type { Detail } from "../scene/scene.ts";
import { nameOf } from "../naming.ts";
import { element } from "./dom.ts";
import type { Texts } from "./texts.ts";

const maxNameChars = 160;

/** Ask says a text in the conversation. It rejects where the host does not take it. */
export type Ask = (text: string) => Promise<void>;

/** askButton says in its own words how it went; say is told them too, for who cannot see it. */
export function askButton(detail: Detail, texts: Texts, ask: Ask, say: (words: string) => void): HTMLButtonElement {
  const made = element("button", "ask", texts.ask);
  made.type = "button";
  // A disabled button would lose the keyboard's place.
  const off = (isOff: boolean): void => made.setAttribute("aria-disabled", String(isOff));
  const become = (words: string): void => {
    made.textContent = words;
    say(words);
  };
  made.addEventListener("click", () => {
    if (made.getAttribute("aria-disabled") === "true") return;
    off(true);
    ask(texts.askText(nameOf(detail, maxNameChars))).then(
      () => become(texts.asked),
      () => {
        become(texts.notAsked);
        off(false);
      },
    );
  });
  return made;
}
