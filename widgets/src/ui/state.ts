// What the document shows: one of these at a time.

import type { Reason } from "../data/failure.ts";
import type { Scene } from "../scene/scene.ts";

export type State =
  | { readonly kind: "waiting"; readonly partial: boolean }
  | { readonly kind: "drawing" }
  | { readonly kind: "drawn"; readonly scene: Scene; readonly maxErrorM?: number }
  | { readonly kind: "empty" }
  | { readonly kind: "hidden" }
  | { readonly kind: "failed"; readonly reason: Reason };

export type TileNote = "none" | "blocked";
