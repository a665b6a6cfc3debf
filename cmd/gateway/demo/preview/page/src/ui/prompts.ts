// Sentences that a person might say, as buttons.

import type { Prompt } from "../api/types.ts";
import { button, el } from "./dom.ts";
import { icon } from "./icons.ts";

export function promptList(prompts: readonly Prompt[], choose: (prompt: Prompt) => void): HTMLElement {
  const items = prompts.map((prompt) => el("li", {}, button([icon("ask"), el("span", {}, prompt.text)], () => choose(prompt), { class: "prompt" })));
  return el("ul", { class: "prompts" }, ...items);
}
