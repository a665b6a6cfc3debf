// @vitest-environment happy-dom
import { expect, test, vi } from "vitest";
import type { JsonObject } from "../json.ts";
import { Form } from "./form.ts";

const position = { type: "array", items: { type: "number" }, minItems: 2, maxItems: 2, description: "[longitude, latitude]" };
const inputSchema = {
  type: "object",
  properties: {
    origin: position,
    stops: { type: "array", items: position },
    query: { type: "string" },
    limit: { type: "number", minimum: 1, maximum: 100 },
    show_ui: { type: "boolean", default: false },
    routeType: { type: "string", enum: ["fast", "short"] },
    centre: { type: "object", properties: { lat: { type: "number" }, lon: { type: "number" } }, required: ["lat", "lon"] },
    anything: {},
  },
  required: ["origin"],
};

function formWith(input: JsonObject): { form: Form; run: ReturnType<typeof vi.fn> } {
  const run = vi.fn();
  const form = new Form(run);
  document.body.replaceChildren(form.element);
  form.show({ name: "tool", inputSchema }, input);
  return { form, run };
}

function control<Kind extends HTMLElement>(form: Form, label: string): Kind {
  const found = [...form.element.querySelectorAll("label")].find(({ textContent }) => textContent?.replace(" *", "") === label);
  return form.element.querySelector<Kind>(`[id="${found?.getAttribute("for")}"]`)!;
}

const whole: JsonObject = {
  origin: [4.9, 52.3],
  stops: [[5, 52], [6, 51]],
  query: "coffee",
  limit: 5,
  show_ui: true,
  routeType: "short",
  centre: { lat: 1, lon: 2 },
  anything: { deep: [1, "two"] },
};

test("arguments come out of a form as they went in", () => {
  expect(formWith(whole).form.read()).toEqual(whole);
});

test("members that the schema does not know stay", () => {
  expect(formWith({ origin: [1, 2], extra: { a: 1 } }).form.read()).toEqual({ origin: [1, 2], extra: { a: 1 } });
});

test("what is left empty is not said, and a flag only where it is changed", () => {
  const { form } = formWith({ origin: [1, 2] });
  expect(form.read()).toEqual({ origin: [1, 2] });
  control<HTMLInputElement>(form, "show_ui").checked = true;
  control<HTMLInputElement>(form, "query").value = "museum";
  expect(form.read()).toEqual({ origin: [1, 2], show_ui: true, query: "museum" });
});

test("a list takes and loses rows", () => {
  const { form } = formWith({ origin: [1, 2], stops: [[5, 52], [6, 51]] });
  const list = form.element.querySelector(".list")!;
  list.querySelector<HTMLButtonElement>(".remove")!.click();
  expect(form.read()?.["stops"]).toEqual([[6, 51]]);
  [...list.querySelectorAll("button")].at(-1)!.click();
  const added = [...list.querySelectorAll<HTMLInputElement>("input")].slice(-2);
  [added[0]!.value, added[1]!.value] = ["7", "50"];
  expect(form.read()?.["stops"]).toEqual([[6, 51], [7, 50]]);
});

test("the same arguments can be written as JSON, and what is written wrong is said", () => {
  const { form, run } = formWith(whole);
  const turn = [...form.element.querySelectorAll("button")].find(({ textContent }) => textContent === "JSON")!;
  turn.click();
  const text = form.element.querySelector<HTMLTextAreaElement>("textarea.json")!;
  expect(JSON.parse(text.value)).toEqual(whole);
  text.value = '{"origin": [1, ';
  expect(form.read()).toBeUndefined();
  expect(form.element.querySelector(".problem")!.textContent).toMatch(/no JSON/);
  text.value = "[1]";
  expect(form.read()).toBeUndefined();
  text.value = '{"origin": [3, 4], "limit": 7}';
  form.element.dispatchEvent(new Event("submit", { cancelable: true }));
  expect(run).toHaveBeenCalledWith({ origin: [3, 4], limit: 7 });
  turn.click();
  expect(form.read()).toEqual({ origin: [3, 4], limit: 7 });
});

test("what is neither required nor given is folded away", () => {
  const { form } = formWith({ origin: [1, 2] });
  const folded = [...form.element.querySelectorAll("details label")].map(({ textContent }) => textContent);
  expect(folded).toContain("query");
  expect(folded).not.toContain("show_ui");
});

test.each([undefined, null, "text", []])("a tool whose schema is %j has the form of one that takes nothing, and keeps what it is given", (schema) => {
  const { form } = formWith(whole);
  form.show({ name: "other", inputSchema: schema }, { given: 1 });
  expect(form.element.querySelectorAll("label")).toHaveLength(0);
  expect(form.read()).toEqual({ given: 1 });
});
