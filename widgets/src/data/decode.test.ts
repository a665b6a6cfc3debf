import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { decodeAppData } from "./decode.ts";

const encode = (text: string | Buffer): string => gzipSync(text).toString("base64");

describe("decodeAppData", () => {
  test("reads one gzip member of UTF-8 JSON", async () => {
    const document = { name: "Zürich 東京 🗺", coordinates: [4.897123, 52.3779] };
    expect(await decodeAppData(encode(JSON.stringify(document)))).toEqual(document);
  });

  test("reads a document of many chunks", async () => {
    const document = { text: "é".repeat(300_000) };
    expect(await decodeAppData(encode(JSON.stringify(document)))).toEqual(document);
  });

  const whole = encode('{"a":[1,2,3]}');
  test.each([
    ["no base64", "*"],
    ["empty", ""],
    ["no gzip", Buffer.from('{"a":1}').toString("base64")],
    ["cut short", Buffer.from(whole, "base64").subarray(0, -9).toString("base64")],
    ["damaged", Buffer.from(Buffer.from(whole, "base64").map((byte, i) => (i === 15 ? byte ^ 0xff : byte))).toString("base64")],
    ["followed by more", Buffer.concat([Buffer.from(whole, "base64"), Buffer.from("x")]).toString("base64")],
    ["no JSON", encode("{")],
    ["no UTF-8", encode(Buffer.from([0x22, 0xff, 0xfe, 0x22]))],
    ["ends within a character", encode(Buffer.from([0x22, 0xe6, 0x9d]))],
  ])("fails with bad_data where it is %s", async (_name, text) => {
    await expect(decodeAppData(text)).rejects.toMatchObject({ reason: "bad_data" });
  });

  test("stops at the cap, before the whole document is there", async () => {
    const text = encode(`"${"a".repeat(5_000_000)}"`);
    await expect(decodeAppData(text, 1_000_000)).rejects.toMatchObject({ reason: "too_large" });
    await expect(decodeAppData(text, 5_000_002)).resolves.toHaveLength(5_000_000);
  });
});
