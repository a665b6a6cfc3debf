// What a test and a host page say to each other.

import type { Profile } from "../policies.ts";

export type Result = Record<string, unknown>;
export type Input = Record<string, unknown>;

/** Faults are what real hosts were seen to do. */
export interface Faults {
  /** The result's _meta does not reach the view. */
  readonly dropMeta?: boolean;
  /** The result's _meta is the host's own. */
  readonly replaceMeta?: boolean;
  /** No tool-input is sent. */
  readonly dropInput?: boolean;
  readonly sendTwice?: boolean;
  /** update-model-context is answered with -32601 although the host declared it. */
  readonly refuseContext?: boolean;
  /** ui/message is answered as an error. */
  readonly refuseMessage?: boolean;
  /** Calls of these tools are refused. */
  readonly refuse?: readonly string[];
  /** Calls of these tools get no answer. */
  readonly silent?: readonly string[];
}

export interface HostOptions {
  readonly gatewayURL: string;
  readonly sandboxURL: string;
  readonly profile: Profile;
  readonly key: string;
  readonly tool: string;
  readonly context: Record<string, unknown>;
  readonly faults: Faults;
  /** Answers that the host gives in the server's place. */
  readonly answers: Readonly<Record<string, Result>>;
  /** Members of the host's capabilities to leave out. */
  readonly without: readonly string[];
}

/** Heard is everything that the view asked or told the host, in order. */
export interface Heard {
  readonly what: "call" | "context" | "message" | "link" | "mode" | "size" | "log" | "teardown";
  readonly value: any;
  readonly answer?: any;
}

export interface Host {
  /** open resolves once the view has said that it is ready. */
  open(options: HostOptions): Promise<void>;
  /** run is a whole tool call: input, the real call, result. It resolves with the result as the server gave it. */
  run(tool: string, input: Input): Promise<Result>;
  partial(input: Input): Promise<void>;
  input(input: Input): Promise<void>;
  /** call calls the server and tells the view nothing. */
  call(tool: string, input: Input): Promise<Result>;
  result(result: Result): Promise<void>;
  cancel(): Promise<void>;
  context(changed: Record<string, unknown>): Promise<void>;
  /** faults changes what is wrong with the host from now on. */
  faults(changed: Faults): void;
  /** teardown resolves once the view has answered; the frame is gone then. */
  teardown(): Promise<void>;
  heard(): readonly Heard[];
}

declare global {
  interface Window {
    host: Host;
  }
}
