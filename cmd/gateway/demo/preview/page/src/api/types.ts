// What the preview's server says, as cmd/gateway/demo/preview writes it.

import type { JsonObject } from "../json.ts";

export type Position = readonly [lon: number, lat: number];

export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** What a server says of itself: it may be no schema at all. */
  readonly inputSchema?: unknown;
  readonly _meta?: JsonObject;
}

export interface Example {
  readonly title: string;
  readonly arguments: JsonObject;
}

export interface Prompt {
  readonly text: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

export interface Session {
  readonly gateway: { readonly version: string };
  readonly upstream: { readonly name: string; readonly version: string; readonly url?: string };
  readonly tools: readonly Tool[];
  readonly examples: Readonly<Record<string, readonly Example[]>>;
  readonly prompts: readonly Prompt[];
  readonly limits: {
    readonly default: number;
    readonly tools: Readonly<Record<string, number>>;
    readonly steps: readonly number[];
  };
  /** The origin that widgets live on. */
  readonly sandbox: string;
  readonly mapKey: boolean;
}

/** LogLine is one of the gateway's log about this page's calls. */
export interface LogLine {
  readonly seq: number;
  readonly level: string;
  readonly message: string;
  readonly attributes: JsonObject;
}

/** Simplification is the gateway's own account of what became of the lines. */
export interface Simplification {
  readonly original_points?: number;
  readonly points?: number;
  readonly max_error_m?: number;
  readonly shed?: readonly string[];
}

/** Largest is where the drawn line is farthest from the original one. */
export interface Largest {
  readonly at: Position;
  readonly drawn: Position;
  readonly error_m: number;
}

/** Fit is what a host gets of a call at a limit. */
export interface Fit {
  readonly limit: number;
  readonly result: JsonObject;
  readonly characters: number;
  readonly text_characters: number;
  readonly data_characters: number;
  readonly tokens: number;
  /** None where the result has no map data of the gateway's. */
  readonly status?: string;
  readonly simplification?: Simplification;
  readonly agent: readonly string[];
  readonly largest?: Largest;
  readonly original?: readonly (readonly Position[])[];
}

/** Call is one in the history. */
export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly started: string;
  readonly duration_ms: number;
}

export interface Resource {
  readonly view: string;
  readonly uri: string;
  readonly mimeType: string;
  readonly csp: JsonObject;
  /** Domains that the widget declared and that the policy leaves out. */
  readonly refused?: readonly string[];
  /** The address of the sandbox page that has this resource's policy. */
  readonly sandbox: string;
  readonly html: string;
}
