// What the gateway writes where it keeps the last results, read as a widget does whose host drops a result's _meta. The
// example is the gateway's own: its tests hold it against what it answers (proxy/recent_test.go).

import { expect, test } from "vitest";

import { asObject, type JsonObject } from "../json.ts";
import { decodeAppData } from "./decode.ts";
import { readResult } from "./result.ts";
import { findAppData } from "./source.ts";
import example from "./testdata/recent.json";

const result = asObject(example.result) ?? {};
const answer = asObject(example.answer) ?? {};

test("a result without its _meta is drawn from what the gateway kept", async () => {
  const { _meta: meta, ...dropped } = result;
  const calls: [string, JsonObject][] = [];
  const found = await findAppData(readResult(dropped), "tomtom-routing", {}, async (name, input) => {
    calls.push([name, input]);
    return answer;
  });
  const exact = await decodeAppData(String(asObject(meta)?.["com.tomtom/app-data"]));
  expect(found).toEqual({ source: "fetched", document: exact });
  expect(calls).toEqual([["tomtom-get-app-data", { app_data_ref: "reference" }]]);
});

test("a whole result needs no second call", async () => {
  const found = await findAppData(readResult(result), "tomtom-routing", {}, () => Promise.reject(new Error("called")));
  expect(found.source).toBe("inline");
});
