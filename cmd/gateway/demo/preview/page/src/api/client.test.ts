import { expect, test, vi } from "vitest";
import { ApiError, Client, takeToken } from "./client.ts";

function answering(status: number, body: unknown): { client: Client; fetched: ReturnType<typeof vi.fn> } {
  const fetched = vi.fn(async () => new Response(typeof body === "string" ? body : JSON.stringify(body), { status }));
  return { client: new Client("T", fetched as unknown as typeof fetch), fetched };
}

test("every request has the token, and none of it is in the address", async () => {
  const { client, fetched } = answering(200, { result: { content: [] } });
  await client.widgetCall("c1", "tool", { a: 1 }, true);
  const [address, init] = fetched.mock.calls[0] as unknown as [string, RequestInit];
  expect(address).toBe("/api/widget-calls");
  expect(init.headers).toMatchObject({ "preview-token": "T" });
  expect(JSON.parse(String(init.body))).toEqual({ call: "c1", tool: "tool", arguments: { a: 1 }, approved: true });
});

test("an error is the server's sentence, or says where there is none", async () => {
  await expect(answering(403, { error: "Not for widgets." }).client.session()).rejects.toThrow("Not for widgets.");
  await expect(answering(500, "<html>").client.session()).rejects.toThrow("status 500");
  const unreachable = new Client("T", async () => {
    throw new TypeError("Failed to fetch");
  });
  await expect(unreachable.session()).rejects.toThrow(ApiError);
});

test("the token leaves the address bar and stays with the window", () => {
  const kept = new Map<string, string>();
  const store = { getItem: (name: string) => kept.get(name) ?? null, setItem: (name: string, value: string) => void kept.set(name, value) } as Storage;
  const replaceState = vi.fn();
  const past = { replaceState } as unknown as History;
  expect(takeToken({ href: "http://127.0.0.1:1/?token=abc&x=1" } as Location, past, store)).toBe("abc");
  expect(replaceState).toHaveBeenCalledWith(null, "", "/?x=1");
  expect(takeToken({ href: "http://127.0.0.1:1/" } as Location, past, store)).toBe("abc");
  expect(replaceState).toHaveBeenCalledTimes(1);
});
