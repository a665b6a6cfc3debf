import { afterEach, describe, expect, test, vi } from "vitest";
import { fetchIncidents, incidentsURL } from "./live.ts";

const template = "https://traffic.example/i?apiVersion=1&bbox={bbox}&key={key}";
const input = { bbox: [4.7, 52.2, 5.1, 52.5], language: "de-DE", categoryFilter: "0,8", maxResults: 5 };

afterEach(() => vi.unstubAllGlobals());

describe("incidentsURL", () => {
  test("fills the template in and hands the input's filters on", () => {
    const asked = new URL(incidentsURL(template, "k&=1", input)!);
    expect(asked.origin + asked.pathname).toBe("https://traffic.example/i");
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      apiVersion: "1",
      bbox: "4.7,52.2,5.1,52.5",
      key: "k&=1",
      language: "de-DE",
      categoryFilter: "0,8",
    });
    expect(asked.searchParams.get("fields")).toContain("geometry{type,coordinates}");
    expect(asked.searchParams.has("timeValidityFilter")).toBe(false);
  });

  test.each([
    ["no input", undefined],
    ["no box", {}],
    ["a short box", { bbox: [1, 2, 3] }],
    ["a box of texts", { bbox: ["1", "2", "3", "4"] }],
  ])("is undefined with %s", (_name, bad) => {
    expect(incidentsURL(template, "k", bad)).toBeUndefined();
  });
});

describe("fetchIncidents", () => {
  const answers = (response: () => Promise<Response>): void => void vi.stubGlobal("fetch", vi.fn(response));
  const key = async (): Promise<string | undefined> => "secret";

  test("answers the service's document", async () => {
    answers(async () => Response.json({ incidents: [1] }));
    expect(await fetchIncidents(template, key, input)).toEqual({ incidents: [1] });
  });

  test("asks for no key where the template has no place for one", async () => {
    answers(async () => Response.json({}));
    const ask = vi.fn(key);
    await fetchIncidents("https://traffic.example/i?bbox={bbox}", ask, input);
    expect(ask).not.toHaveBeenCalled();
  });

  test.each([
    ["refuses", async () => new Response("", { status: 403 })],
    ["answers no JSON", async () => new Response("<html>")],
    ["is not there", async () => Promise.reject(new TypeError("failed to fetch https://traffic.example/i?key=secret"))],
  ])("fails without the key in its words where the service %s", async (_name, response) => {
    answers(response);
    const failure = await fetchIncidents(template, key, input).catch((error: unknown) => error);
    expect(failure).toMatchObject({ reason: "no_live_traffic" });
    expect(String(failure)).not.toContain("secret");
  });

  test.each([
    ["no key", template, async () => undefined, input],
    ["no template", "", key, input],
    ["no box", template, key, {}],
  ])("fails with %s before it asks", async (_name, from, ask, given) => {
    answers(async () => Response.json({}));
    await expect(fetchIncidents(from, ask, given)).rejects.toMatchObject({ reason: "no_live_traffic" });
    expect(fetch).not.toHaveBeenCalled();
  });
});
