// The sandbox between page and widget (MCP Apps, "Sandbox proxy"): takes messages from the page that it was made for and
// from the one widget inside it, hands each on to the other, and keeps the sandbox's own messages for itself.

import { asObject, asText, at } from "../json.ts";

const ready = "ui/notifications/sandbox-proxy-ready";
const resource = "ui/notifications/sandbox-resource-ready";
const own = "ui/notifications/sandbox-";

/** Inner is a window that takes messages. */
export interface Inner {
  postMessage(message: unknown, origin: string): void;
}

export interface Places {
  /** The window that this page is framed by, and the only origin that it may have. */
  readonly parent: Inner;
  readonly pageOrigin: string;
  /** place puts a widget's document into its frame and answers its window. */
  place(html: string): Inner;
}

export interface Heard {
  readonly source: unknown;
  readonly origin: string;
  readonly data: unknown;
}

export class Relay {
  #inner: Inner | undefined;

  constructor(readonly places: Places) {}

  /** begin tells the page that a document can come. */
  begin(): void {
    this.#toPage({ jsonrpc: "2.0", method: ready, params: {} });
  }

  hear({ source, origin, data }: Heard): void {
    const method = asText(at(data, "method")) ?? "";
    if (source === this.places.parent) {
      if (origin !== this.places.pageOrigin) return;
      if (method === resource) this.#place(data);
      // The widget's origin is opaque, which no name stands for.
      else if (!method.startsWith(own)) this.#inner?.postMessage(data, "*");
      return;
    }
    if (this.#inner === undefined || source !== this.#inner || asObject(data) === undefined) return;
    if (!method.startsWith(own)) this.#toPage(data);
  }

  #place(data: unknown): void {
    const html = asText(at(data, "params", "html"));
    if (html === undefined || this.#inner !== undefined) return;
    this.#inner = this.places.place(html);
  }

  #toPage(message: unknown): void {
    this.places.parent.postMessage(message, this.places.pageOrigin);
  }
}
