import { beforeEach, expect, test } from "vitest";
import { Relay } from "./relay.ts";

const page = "http://127.0.0.1:1";
const resourceReady = { jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready", params: { html: "<p>" } };

class Spy {
  readonly got: [unknown, string][] = [];
  postMessage(message: unknown, origin: string): void {
    this.got.push([message, origin]);
  }
}

let parent: Spy;
let inner: Spy;
let placed: string[];
let relay: Relay;

beforeEach(() => {
  [parent, inner, placed] = [new Spy(), new Spy(), []];
  relay = new Relay({ parent, pageOrigin: page, place: (html) => (placed.push(html), inner) });
});

test("tells the page alone that it is ready", () => {
  relay.begin();
  expect(parent.got).toEqual([[{ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, page]]);
});

test("takes a document from the page, once", () => {
  relay.hear({ source: parent, origin: page, data: resourceReady });
  relay.hear({ source: parent, origin: page, data: { ...resourceReady, params: { html: "<script>" } } });
  expect(placed).toEqual(["<p>"]);
});

test("takes none from another origin, another window, or the widget", () => {
  relay.hear({ source: parent, origin: "http://evil.example", data: resourceReady });
  relay.hear({ source: new Spy(), origin: page, data: resourceReady });
  relay.hear({ source: inner, origin: "null", data: resourceReady });
  expect(placed).toEqual([]);
});

test("hands messages on in both directions as they are", () => {
  relay.hear({ source: parent, origin: page, data: resourceReady });
  const asked = { jsonrpc: "2.0", id: 1, method: "ui/initialize" };
  const answer = { jsonrpc: "2.0", id: 1, result: {} };
  relay.hear({ source: inner, origin: "null", data: asked });
  relay.hear({ source: parent, origin: page, data: answer });
  expect(parent.got).toEqual([[asked, page]]);
  expect(inner.got).toEqual([[answer, "*"]]);
});

test("keeps the sandbox's own messages to itself, whoever forges them", () => {
  relay.hear({ source: parent, origin: page, data: resourceReady });
  for (const method of ["ui/notifications/sandbox-proxy-ready", "ui/notifications/sandbox-resource-ready", "ui/notifications/sandbox-anything"]) {
    relay.hear({ source: inner, origin: "null", data: { jsonrpc: "2.0", method, params: { html: "<script>" } } });
    relay.hear({ source: parent, origin: page, data: { jsonrpc: "2.0", method: "ui/notifications/sandbox-anything" } });
  }
  expect(parent.got).toEqual([]);
  expect(inner.got).toEqual([]);
  expect(placed).toEqual(["<p>"]);
});

test("hears nothing before there is a widget, and nothing that is no message", () => {
  relay.hear({ source: undefined, origin: "null", data: { method: "x" } });
  relay.hear({ source: parent, origin: page, data: { method: "x" } });
  relay.hear({ source: parent, origin: page, data: resourceReady });
  relay.hear({ source: inner, origin: "null", data: "text" });
  expect(parent.got).toEqual([]);
});
