import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Peer } from "./peer.ts";
import { parentPort, type FramedWindow } from "./port.ts";
import { TestPort } from "./testport.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function made(): { port: TestPort; peer: Peer } {
  const port = new TestPort();
  return { port, peer: new Peer(port) };
}

describe("requests", () => {
  test("are answered by their id, in any order", async () => {
    const { port, peer } = made();
    const first = peer.request("a", { x: 1 }, 1000);
    const second = peer.request("b", {}, 1000);
    expect(port.posted[0]).toEqual({ jsonrpc: "2.0", id: 1, method: "a", params: { x: 1 } });
    port.say({ id: 2, result: "two" });
    port.say({ id: 1, result: "one" });
    expect(await Promise.all([first, second])).toEqual(["one", "two"]);
  });

  test("fail with the host's code", async () => {
    const { port, peer } = made();
    const asked = peer.request("a", {}, 1000);
    port.say({ id: 1, error: { code: -32601, message: "Method not found" } });
    await expect(asked).rejects.toMatchObject({ code: -32601, method: "a" });
  });

  test("time out, and a late answer is ignored", async () => {
    const { port, peer } = made();
    const asked = expect(peer.request("a", {}, 1000)).rejects.toMatchObject({ code: "timeout" });
    await vi.advanceTimersByTimeAsync(999);
    await vi.advanceTimersByTimeAsync(1);
    await asked;
    port.say({ id: 1, result: "late" });
  });

  test("fail when the peer is closed, before and after", async () => {
    const { port, peer } = made();
    const asked = expect(peer.request("a", {}, 1000)).rejects.toMatchObject({ code: "closed" });
    peer.close();
    await asked;
    await expect(peer.request("b", {}, 1000)).rejects.toMatchObject({ code: "closed" });
    peer.notify("c");
    expect(port.posted).toHaveLength(1);
  });
});

describe("what the host says", () => {
  test("reaches the listener of its method", () => {
    const { port, peer } = made();
    const heard = vi.fn();
    peer.on("n", heard);
    port.say({ method: "n", params: { a: 1 } });
    port.say({ method: "n" });
    expect(heard.mock.calls).toEqual([[{ a: 1 }], [{}]]);
  });

  test.each([
    ["nothing", null],
    ["a text", "hello"],
    ["another protocol", { type: "webpackOk" }],
    ["no version", { method: "n" }],
    ["an unknown notification", { jsonrpc: "2.0", method: "ui/notifications/later" }],
    ["an answer to nothing", { jsonrpc: "2.0", id: 99, result: 1 }],
    ["an answer with a text id", { jsonrpc: "2.0", id: "1", result: 1 }],
    ["a list", [{ jsonrpc: "2.0", method: "n" }]],
  ])("is ignored where it is %s", (_name, message) => {
    const { port, peer } = made();
    const heard = vi.fn();
    peer.on("n", heard);
    port.sayRaw(message);
    expect(heard).not.toHaveBeenCalled();
    expect(port.posted).toEqual([]);
  });

  test("is answered where it is a request, with its own id", async () => {
    const { port, peer } = made();
    peer.answer("ping", () => ({}));
    peer.answer("broken", () => {
      throw new Error("inner words");
    });
    port.say({ id: "x", method: "ping" });
    port.say({ id: 0, method: "later" });
    port.say({ id: 5, method: "broken" });
    await vi.advanceTimersByTimeAsync(0);
    expect(port.posted).toContainEqual({ jsonrpc: "2.0", id: "x", result: {} });
    expect(port.posted.find(({ id }) => id === 0)?.error?.code).toBe(-32601);
    expect(port.posted.find(({ id }) => id === 5)?.error?.code).toBe(-32603);
    expect(JSON.stringify(port.posted)).not.toContain("inner words");
  });
});

test("the port hears the parent window alone", () => {
  const parent = { postMessage: vi.fn() };
  let listener: ((event: MessageEvent) => void) | undefined;
  const frame: FramedWindow = {
    parent,
    addEventListener: (_type, added) => void (listener = added),
    removeEventListener: (_type, removed) => void (listener = listener === removed ? undefined : listener),
  };
  const heard = vi.fn();
  const port = parentPort(frame);
  const stop = port.listen(heard);
  const from = (source: unknown, data: unknown): void => listener?.({ source, data } as MessageEvent);
  from({ postMessage: vi.fn() }, "another window");
  from(frame, "the frame itself");
  from(null, "nobody");
  from(parent, "the parent");
  expect(heard.mock.calls).toEqual([["the parent"]]);
  port.post({ a: 1 });
  expect(parent.postMessage).toHaveBeenCalledWith({ a: 1 }, "*");
  stop();
  expect(listener).toBeUndefined();
});
