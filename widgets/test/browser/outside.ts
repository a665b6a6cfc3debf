// What lies outside: tiles and live traffic, over https with a certificate made for the occasion, so that a policy that
// lets only https pictures through lets these through.

import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { incidentsIn } from "./fixtures.ts";
import { mapTile } from "./tiles.ts";

export interface Outside {
  readonly origin: string;
  close(): void;
}

/** serveOutside answers what each key asked for at /asked?key=…, as a JSON array of paths. */
export function serveOutside(certificate: { cert: Buffer; key: Buffer }): Promise<Outside> {
  const asked = new Map<string, string[]>();
  const server = createServer(certificate, (request, response) => {
    const url = new URL(request.url ?? "", "https://outside");
    const key = url.searchParams.get("key") ?? "";
    response.setHeader("access-control-allow-origin", "*");
    if (url.pathname === "/asked") {
      response.setHeader("content-type", "application/json").end(JSON.stringify(asked.get(key) ?? []));
      return;
    }
    asked.set(key, [...(asked.get(key) ?? []), request.url ?? ""]);
    const tile = /^\/tile\/(\d+)\/(\d+)\/(\d+)$/.exec(url.pathname);
    if (tile !== null) {
      const style = url.searchParams.get("style") === "street-dark" ? "street-dark" : "street-light";
      response.setHeader("content-type", "image/png");
      response.end(mapTile(Number(tile[1]), Number(tile[2]), Number(tile[3]), style, url.searchParams.get("size") === "512"));
      return;
    }
    const box = (url.searchParams.get("bbox") ?? "").split(",").map(Number);
    response.setHeader("content-type", "application/json").end(JSON.stringify(incidentsIn(box)));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve({ origin: originOf(server), close: () => stop(server) })));
}

function originOf(server: Server): string {
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function stop(server: Server): void {
  server.closeAllConnections();
  server.close();
}
