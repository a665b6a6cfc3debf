// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { FrameTransport } from "./transport.ts";

const origin = "http://localhost:1";
const message = (id: number): JSONRPCMessage => ({ jsonrpc: "2.0", id, method: "ping" });

let posted: [unknown, string][];
let target: Window;
let sent: unknown[];
let heard: unknown[];
let delayMs = 0;
let transport: FrameTransport;
let got: unknown[];

function arrive(data: unknown, from: unknown = target, at = origin): void {
  const event = new MessageEvent("message", { data, origin: at });
  Object.defineProperty(event, "source", { value: from });
  window.dispatchEvent(event);
}

beforeEach(async () => {
  [posted, sent, heard, got, delayMs] = [[], [], [], [], 0];
  target = { postMessage: (data: unknown, to: string) => posted.push([data, to]) } as unknown as Window;
  transport = new FrameTransport(target, origin, { sent: (one) => sent.push(one), heard: (one) => heard.push(one), delayMs: () => delayMs });
  transport.onmessage = (one) => got.push(one);
  await transport.start();
});
afterEach(async () => {
  vi.useRealTimers();
  await transport.close();
});

test("messages go to the sandbox's origin and to no other", async () => {
  await transport.send(message(1));
  expect(posted).toEqual([[message(1), origin]]);
  expect(sent).toEqual([message(1)]);
});

test("messages come from that window at that origin, and are JSON-RPC", () => {
  arrive(message(1));
  arrive(message(2), {});
  arrive(message(3), target, "http://evil.example");
  arrive({ hello: "there" });
  arrive("text");
  expect(got).toEqual([message(1)]);
  expect(heard).toEqual(got);
});

test("a slow host keeps the order, and says nothing after the end", async () => {
  vi.useFakeTimers();
  delayMs = 2000;
  void transport.send(message(1));
  delayMs = 2000;
  void transport.send(message(2));
  await vi.advanceTimersByTimeAsync(1999);
  expect(posted).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(posted).toHaveLength(1);
  await transport.close();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(posted).toEqual([[message(1), origin]]);
  arrive(message(3));
  expect(got).toEqual([]);
});
