// Messages between this page and one sandbox frame: only its window, only its origin, each one into the log.

import { parseJSONRPCMessage, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";

export interface TransportEvents {
  /** sent is called as a message leaves, heard as one comes in. */
  sent(message: JSONRPCMessage): void;
  heard(message: JSONRPCMessage): void;
  /** delayMs is how long a message to the widget is held up. */
  delayMs(): number;
}

export class FrameTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  #last: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(
    readonly target: Window,
    readonly origin: string,
    readonly events: TransportEvents,
  ) {}

  async start(): Promise<void> {
    addEventListener("message", this.#hear);
  }

  /** send keeps the order, also where each message is held up. */
  send(message: JSONRPCMessage): Promise<void> {
    this.#last = this.#last.then(async () => {
      const delayMs = this.events.delayMs();
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      if (this.#closed) return;
      this.events.sent(message);
      this.target.postMessage(message, this.origin);
    });
    return this.#last;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    removeEventListener("message", this.#hear);
    this.onclose?.();
  }

  readonly #hear = ({ source, origin, data }: MessageEvent): void => {
    if (source !== this.target || origin !== this.origin) return;
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(data);
    } catch {
      // What is no JSON-RPC concerns nobody here: a widget may have windows of its own to talk to.
      return;
    }
    this.events.heard(message);
    this.onmessage?.(message);
  };
}
