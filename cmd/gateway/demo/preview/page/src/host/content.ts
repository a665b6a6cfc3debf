// What a widget says in content blocks.

import { asText, at } from "../json.ts";

/** textsOf answers the texts of one block or of several. */
export function textsOf(content: unknown): string[] {
  return (Array.isArray(content) ? content : [content]).flatMap((block) => asText(at(block, "text")) ?? []);
}
