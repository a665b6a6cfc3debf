import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { TestPort } from "./testport.ts";
import { View, type ViewEvents } from "./view.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function made() {
  const port = new TestPort();
  const events = {
    toolInput: vi.fn(),
    toolInputPartial: vi.fn(),
    toolResult: vi.fn(),
    toolCancelled: vi.fn(),
    contextChanged: vi.fn(),
    teardown: vi.fn(),
  } satisfies ViewEvents;
  return { port, events, view: new View(port, events) };
}

async function connected(context: object = {}, hostCapabilities: object = {}) {
  const all = made();
  const connecting = all.view.connect("map", "1");
  all.port.say({ id: all.port.last("ui/initialize").id, result: { hostContext: context, hostCapabilities } });
  await connecting;
  return all;
}

describe("the handshake", () => {
  test("initializes, then says so, and nothing before", async () => {
    const { port, view } = made();
    const connecting = view.connect("map", "1.2.3");
    expect(port.posted).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        method: "ui/initialize",
        params: {
          appInfo: { name: "map", version: "1.2.3" },
          appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
          protocolVersion: "2026-01-26",
        },
      },
    ]);
    port.say({ id: 1, result: { protocolVersion: "2026-01-26", hostContext: { theme: "dark" } } });
    await connecting;
    expect(port.posted[1]).toEqual({ jsonrpc: "2.0", method: "ui/notifications/initialized", params: {} });
    expect(view.context.theme).toBe("dark");
  });

  test.each([["silent", undefined], ["refusing", { id: 1, error: { code: -32600, message: "no" } }]])(
    "fails with a %s host, and a result still arrives",
    async (_name, answer) => {
      const { port, events, view } = made();
      const connecting = expect(view.connect("map", "1")).rejects.toThrow();
      if (answer !== undefined) port.say(answer);
      await vi.advanceTimersByTimeAsync(10_000);
      await connecting;
      port.say({ method: "ui/notifications/tool-result", params: { content: [] } });
      expect(events.toolResult).toHaveBeenCalledWith({ content: [] });
    },
  );
});

describe("notifications", () => {
  test("of the tool call are handed on", async () => {
    const { port, events } = await connected();
    port.say({ method: "ui/notifications/tool-input-partial", params: { arguments: { a: 1 } } });
    port.say({ method: "ui/notifications/tool-input", params: { arguments: { a: 1, b: 2 } } });
    port.say({ method: "ui/notifications/tool-input", params: {} });
    port.say({ method: "ui/notifications/tool-cancelled", params: { reason: "user" } });
    expect(events.toolInputPartial).toHaveBeenCalledWith({ a: 1 });
    expect(events.toolInput.mock.calls).toEqual([[{ a: 1, b: 2 }], [{}]]);
    expect(events.toolCancelled).toHaveBeenCalledWith("user");
  });

  test("of the context are merged", async () => {
    const { port, events, view } = await connected({ theme: "light", locale: "de-DE", displayMode: "inline" });
    port.say({ method: "ui/notifications/host-context-changed", params: { theme: "dark" } });
    expect(view.context).toMatchObject({ theme: "dark", locale: "de-DE", displayMode: "inline" });
    expect(events.contextChanged).toHaveBeenLastCalledWith(view.context);
  });

  test("with a context of wrong types leave the defaults", async () => {
    const { view } = await connected({
      theme: "neon",
      locale: 7,
      displayMode: "hologram",
      safeAreaInsets: { top: -5, left: "x" },
      containerDimensions: { height: -1, maxHeight: "tall" },
      styles: { variables: { "--font-sans": "Inter", color: "red", "--bad": 3 } },
      availableDisplayModes: "all",
    });
    expect(view.context).toEqual({
      variables: { "--font-sans": "Inter" },
      displayMode: "inline",
      availableDisplayModes: [],
      safeArea: { top: 0, right: 0, bottom: 0, left: 0 },
    });
  });
});

test("a teardown is answered, told, and the end", async () => {
  const { port, events, view } = await connected();
  port.say({ id: 9, method: "ui/resource-teardown", params: { reason: "gone" } });
  await vi.advanceTimersByTimeAsync(0);
  expect(port.posted).toContainEqual({ jsonrpc: "2.0", id: 9, result: {} });
  expect(events.teardown).toHaveBeenCalledOnce();
  await expect(view.callTool("t", {})).rejects.toMatchObject({ code: "closed" });
});

describe("what the view asks", () => {
  test("a tool call answers the result", async () => {
    const { port, view } = await connected();
    const calling = view.callTool("tomtom-get-api-key", { a: 1 });
    const { id, params } = port.last("tools/call");
    expect(params).toEqual({ name: "tomtom-get-api-key", arguments: { a: 1 } });
    port.say({ id, result: { content: [] } });
    expect(await calling).toEqual({ content: [] });
  });

  test("links go to the host, http and https alone", async () => {
    const { port, view } = await connected();
    for (const url of ["javascript:alert(1)", "data:text/html,x", "//example.com", "https://", "file:///etc/passwd"]) {
      await view.openLink(url);
    }
    expect(port.posted.filter(({ method }) => method === "ui/open-link")).toEqual([]);
    const opening = view.openLink("https://example.com/a?b");
    const { id, params } = port.last("ui/open-link");
    expect(params).toEqual({ url: "https://example.com/a?b" });
    port.say({ id, result: {} });
    await opening;
  });

  test("the model context is off where the host lacks it", async () => {
    const without = await connected();
    await without.view.updateModelContext("seen");
    expect(without.port.posted.some(({ method }) => method === "ui/update-model-context")).toBe(false);
    const { port, view } = await connected({}, { updateModelContext: { text: {} } });
    const updating = view.updateModelContext("seen");
    const { id, params } = port.last("ui/update-model-context");
    expect(params).toEqual({ content: [{ type: "text", text: "seen" }] });
    port.say({ id, result: {} });
    await updating;
  });

  test("a display mode is asked for where the host has it, and its answer counts", async () => {
    const { port, view } = await connected({ availableDisplayModes: ["inline", "fullscreen"] });
    expect(await view.requestDisplayMode("pip")).toBe("inline");
    const asking = view.requestDisplayMode("fullscreen");
    const { id, params } = port.last("ui/request-display-mode");
    expect(params).toEqual({ mode: "fullscreen" });
    port.say({ id, result: { mode: "fullscreen" } });
    expect(await asking).toBe("fullscreen");
    expect(view.context.displayMode).toBe("fullscreen");
  });

  test("a height is told, and no width: a host that is told one may fix it", async () => {
    const { port, view } = await connected();
    view.sizeChanged(420);
    expect(port.last("ui/notifications/size-changed").params).toEqual({ height: 420 });
  });

  test("a message is the person's, and a host may refuse it in its answer", async () => {
    const { port, view } = await connected({}, { message: { text: {} } });
    const sending = view.sendMessage("hello");
    const { id, params } = port.last("ui/message");
    expect(params).toEqual({ role: "user", content: [{ type: "text", text: "hello" }] });
    port.say({ id, result: {} });
    await sending;
    const refused = expect(view.sendMessage("again")).rejects.toMatchObject({ code: "refused" });
    port.say({ id: port.last("ui/message").id, result: { isError: true } });
    await refused;
  });

  test("a resource is read as its contents, however odd the answer", async () => {
    const { port, view } = await connected();
    for (const [result, want] of [
      [{ contents: [{ uri: "ui://a", text: "b" }, 7] }, [{ uri: "ui://a", text: "b" }]],
      [{ contents: "none" }, []],
      [undefined, []],
    ]) {
      const reading = view.readResource("ui://a");
      const { id, params } = port.last("resources/read");
      expect(params).toEqual({ uri: "ui://a" });
      port.say({ id, result });
      expect(await reading).toEqual(want);
    }
  });

  test("a word for the log is a notification, and off where the host keeps none", async () => {
    const without = await connected();
    without.view.log("warning", { reason: "too_large" });
    expect(without.port.posted.some(({ method }) => method === "notifications/message")).toBe(false);
    const { port, view } = await connected({}, { logging: {} });
    view.log("warning", { reason: "too_large" });
    expect(port.last("notifications/message")).toMatchObject({
      params: { level: "warning", logger: "map", data: { reason: "too_large" } },
    });
  });
});
