// JSON-RPC 2.0 over a port: requests with a deadline, notifications, and answers to what the host asks.

import { asObject, type JsonObject } from "../json.ts";
import type { Port } from "./port.ts";

export class RequestError extends Error {
  constructor(
    readonly method: string,
    /** The host's JSON-RPC code, or why there is none. */
    readonly code: number | "timeout" | "closed" | "refused",
    message: string,
  ) {
    super(message);
    this.name = "RequestError";
  }
}

export const methodNotFound = -32601;
const internalError = -32603;

interface Pending {
  readonly method: string;
  settle(result: unknown): void;
  fail(error: RequestError): void;
}

type Heard = (params: JsonObject) => void;
type Answer = (params: JsonObject) => unknown;

export class Peer {
  #nextId = 1;
  #closed = false;
  readonly #pending = new Map<number, Pending>();
  readonly #heard = new Map<string, Heard>();
  readonly #answers = new Map<string, Answer>();
  readonly #stop: () => void;

  constructor(readonly port: Port) {
    this.#stop = port.listen((message) => this.#receive(message));
  }

  /** on hears a notification. Those without a listener are ignored. */
  on(method: string, heard: Heard): void {
    this.#heard.set(method, heard);
  }

  /** answer replies to a request of the host. Requests that nobody answers get "method not found". */
  answer(method: string, answer: Answer): void {
    this.#answers.set(method, answer);
  }

  notify(method: string, params: object = {}): void {
    if (!this.#closed) this.port.post({ jsonrpc: "2.0", method, params });
  }

  /** request rejects with a RequestError where the host refuses, or says nothing for timeoutMs. */
  request(method: string, params: object, timeoutMs: number): Promise<unknown> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(new RequestError(method, "closed", `${method}: the view is closed`));
        return;
      }
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new RequestError(method, "timeout", `${method}: no answer in ${timeoutMs / 1000} s`));
      }, timeoutMs);
      this.#pending.set(id, {
        method,
        settle: (result) => {
          clearTimeout(timer);
          resolve(result);
        },
        fail: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      this.port.post({ jsonrpc: "2.0", id, method, params });
    });
  }

  /** close stops listening; whatever still waits for an answer fails. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stop();
    for (const { method, fail } of this.#pending.values()) {
      fail(new RequestError(method, "closed", `${method}: the view is closed`));
    }
    this.#pending.clear();
  }

  #receive(message: unknown): void {
    const received = asObject(message);
    if (received === undefined || received["jsonrpc"] !== "2.0") return;
    const { method, id } = received;
    if (typeof method === "string") {
      const params = asObject(received["params"]) ?? {};
      if (id === undefined) this.#heard.get(method)?.(params);
      else void this.#reply(method, id, params);
      return;
    }
    if (typeof id !== "number") return;
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    const error = asObject(received["error"]);
    if (error === undefined) {
      pending.settle(received["result"]);
      return;
    }
    const code = typeof error["code"] === "number" ? error["code"] : internalError;
    pending.fail(new RequestError(pending.method, code, `${pending.method}: ${String(error["message"] ?? code)}`));
  }

  async #reply(method: string, id: unknown, params: JsonObject): Promise<void> {
    const answer = this.#answers.get(method);
    if (answer === undefined) {
      this.port.post({ jsonrpc: "2.0", id, error: { code: methodNotFound, message: `Method not found: ${method}` } });
      return;
    }
    try {
      this.port.post({ jsonrpc: "2.0", id, result: (await answer(params)) ?? {} });
    } catch {
      this.port.post({ jsonrpc: "2.0", id, error: { code: internalError, message: "Internal error" } });
    }
  }
}
