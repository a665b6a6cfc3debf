import { beforeEach, expect, test, vi } from "vitest";
import type { Client } from "../api/client.ts";
import type { Call, Session, Tool } from "../api/types.ts";
import { Log } from "../log/log.ts";
import type { Answer } from "../ui/approvals.ts";
import type { Mode } from "./context.ts";
import { HostDesk } from "./desk.ts";
import type { Fault } from "./faults.ts";
import type { Guest, View } from "./view.ts";

const tools: Tool[] = [
  { name: "both", inputSchema: {} },
  { name: "app", inputSchema: {}, _meta: { ui: { visibility: ["app"] } } },
  { name: "model", inputSchema: {}, _meta: { ui: { visibility: ["model"] } } },
];

let answers: Answer[];
let asked: string[];
let faults: Set<Fault>;
let said: string[];
let opened: string[];
let mode: Mode;
let guest: Guest;
const widgetCall = vi.fn(async () => ({ content: [] }));
const canShow = vi.fn((wanted: Mode) => wanted !== "pip");

beforeEach(() => {
  [answers, asked, said, opened, mode] = [[], [], [], [], "inline"];
  faults = new Set();
  widgetCall.mockClear();
  const desk = new HostDesk({ widgetCall } as unknown as Client, { tools, mapKey: true } as unknown as Session, new Log(() => undefined, () => 0), {
    ask: async ({ what }) => (asked.push(what), answers.shift() ?? "timed out"),
    faults: () => faults,
    showContext: () => undefined,
    remark: (text) => said.push(text),
    open: (url) => opened.push(url.href),
    size: () => undefined,
    mode: () => mode,
    setMode: (wanted) => (mode = wanted),
  });
  guest = desk.guestFor({ id: "c1" } as Call, () => ({ canShow }) as unknown as View);
});

test("an approved call is made once, for the call that the widget belongs to", async () => {
  answers = ["approved"];
  await guest.callTool("both", { a: 1 });
  expect(widgetCall.mock.calls).toEqual([["c1", "both", { a: 1 }, true]]);
});

test.each(["rejected", "timed out"] as const)("a call that is %s is not made", async (answer) => {
  answers = [answer];
  await expect(guest.callTool("both", {})).rejects.toThrow();
  expect(widgetCall).not.toHaveBeenCalled();
});

test("what only apps see is asked for once it was approved, and again where it was rejected", async () => {
  answers = ["rejected", "approved"];
  await expect(guest.callTool("app", {})).rejects.toThrow();
  await guest.callTool("app", {});
  await guest.callTool("app", {});
  expect(asked).toEqual(["app", "app"]);
  expect(widgetCall).toHaveBeenCalledTimes(2);
});

test("what is asked for twice at once is one question, with one answer", async () => {
  answers = ["approved"];
  await Promise.all([guest.callTool("app", { n: 1 }), guest.callTool("app", { n: 2 })]);
  expect(asked).toEqual(["app"]);
  expect(widgetCall).toHaveBeenCalledTimes(2);
});

test.each(["model", "unknown"])("%s is refused, and nobody is asked", async (name) => {
  await expect(guest.callTool(name, {})).rejects.toMatchObject({ code: -32601 });
  expect(asked).toEqual([]);
  expect(widgetCall).not.toHaveBeenCalled();
});

test("a host that rejects every call asks nobody", async () => {
  faults.add("rejectCalls");
  await expect(guest.callTool("app", {})).rejects.toThrow();
  expect(asked).toEqual([]);
});

test("the server's refusal is the widget's error, in the server's words", async () => {
  answers = ["approved"];
  widgetCall.mockRejectedValueOnce(new Error("The tool has not answered in 30s."));
  await expect(guest.callTool("both", {})).rejects.toThrow("has not answered");
});

test("a text is said, and an address opened, once a person approves", async () => {
  answers = ["rejected", "approved", "rejected", "approved"];
  const message = { role: "user", content: [{ type: "text", text: "What is here?" }] };
  await expect(guest.say(message)).rejects.toThrow();
  await guest.say(message);
  expect(said).toEqual(["What is here?"]);
  await expect(guest.openLink({ url: "https://example.com/" })).rejects.toThrow();
  await guest.openLink({ url: "https://example.com/" });
  expect(opened).toEqual(["https://example.com/"]);
  await expect(guest.openLink({ url: "javascript:alert(1)" })).rejects.toThrow();
  await expect(guest.say({ content: [{ type: "image" }] })).rejects.toThrow();
  expect(asked).toHaveLength(4);
});

test("a mode that the widget cannot take, or the host has not, is not taken", () => {
  expect(guest.mode("pip")).toBe("inline");
  expect(guest.mode("fullscreen")).toBe("fullscreen");
  canShow.mockReturnValueOnce(false);
  mode = "inline";
  expect(guest.mode("fullscreen")).toBe("inline");
});
