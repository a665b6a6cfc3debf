import { expect, test } from "vitest";
import type { Tool } from "../api/types.ts";
import { isAppOnly, judge, linkOf, visibleTo } from "./rules.ts";

function tool(name: string, visibility?: string[]): Tool {
  return { name, inputSchema: {}, ...(visibility === undefined ? {} : { _meta: { ui: { visibility } } }) };
}

const tools = [tool("both"), tool("app", ["app"]), tool("model", ["model"]), tool("nobody", []), tool("said", ["model", "app"])];

test("a tool that says nothing is for both", () => {
  expect(visibleTo(tools[0]!, "model") && visibleTo(tools[0]!, "app")).toBe(true);
  expect(tools.filter(isAppOnly).map(({ name }) => name)).toEqual(["app"]);
});

test.each([
  ["an unknown tool is refused", "other", [], "refused"],
  ["a tool for models alone is refused", "model", [], "refused"],
  ["a tool for nobody is refused", "nobody", [], "refused"],
  ["refused stays refused, whatever is remembered", "model", ["model"], "refused"],
  ["a tool for apps is asked for once", "app", [], "ask"],
  ["and then remembered", "app", ["app"], "approved"],
  ["a tool that agents run too is asked for each time", "both", ["both"], "ask"],
  ["also where it says so", "said", ["said"], "ask"],
  ["a name that every object has is no tool", "constructor", [], "refused"],
] as const)("%s", (_, name, remembered, kind) => {
  expect(judge({ tools, mapKey: false }, new Set(remembered), name).kind).toBe(kind);
});

test("a widget is given no key but one for maps", () => {
  const withKey = [...tools, tool("tomtom-get-api-key", ["app"])];
  expect(judge({ tools: withKey, mapKey: false }, new Set(["tomtom-get-api-key"]), "tomtom-get-api-key").kind).toBe("refused");
  expect(judge({ tools: withKey, mapKey: true }, new Set(), "tomtom-get-api-key").kind).toBe("ask");
});

test("only what may be remembered is", () => {
  expect(judge({ tools, mapKey: false }, new Set(), "app")).toEqual({ kind: "ask", remember: true });
  expect(judge({ tools, mapKey: false }, new Set(), "both")).toEqual({ kind: "ask", remember: false });
});

test.each(["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "ui://x", "no address", ""])("%s is not opened", (url) => {
  expect(linkOf({ url })).toBeUndefined();
});

test("pages on the web are", () => {
  expect(linkOf({ url: "https://example.com/a" })?.href).toBe("https://example.com/a");
  expect(linkOf({ url: 5 })).toBeUndefined();
});
