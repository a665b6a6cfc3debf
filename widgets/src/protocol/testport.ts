// A port for tests: what the view posts is kept, what the host says is handed in.

import type { Port } from "./port.ts";

export interface Message {
  readonly jsonrpc?: string;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

export class TestPort implements Port {
  readonly posted: Message[] = [];
  #hear: ((message: unknown) => void) | undefined;

  post(message: unknown): void {
    this.posted.push(message as Message);
  }

  listen(hear: (message: unknown) => void): () => void {
    this.#hear = hear;
    return () => (this.#hear = undefined);
  }

  /** say is the host speaking; jsonrpc is added. */
  say(message: object): void {
    this.#hear?.({ jsonrpc: "2.0", ...message });
  }

  sayRaw(message: unknown): void {
    this.#hear?.(message);
  }

  /** last answers the newest posted message of a method. */
  last(method: string): Message {
    const found = this.posted.findLast((message) => message.method === method);
    if (found === undefined) throw new Error(`nothing posted with ${method}`);
    return found;
  }
}
