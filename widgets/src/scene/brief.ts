// What every builder of a scene is given beside the data.

import type { JsonObject } from "../json.ts";
import type { Format } from "../ui/format.ts";
import type { Texts } from "../ui/texts.ts";

export interface Brief {
  readonly texts: Texts;
  readonly format: Format;
  /** The tool's input, where the host gave it. */
  readonly input: JsonObject | undefined;
}
