// Serves the host page, the document under a content security policy, and stand-ins for tiles and live traffic, each on
// a loopback origin of its own.

import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { incidents } from "./fixtures.ts";
import { tile } from "./png.ts";

const here = import.meta.dirname;

/** declared: as the specification's reference host. strict: as MCP Inspector's. blocked: a host that honours no domain. */
export type Profile = "declared" | "strict" | "blocked";

export interface Served {
  readonly hostURL: string;
  viewURL(profile: Profile): string;
  /** Paths that the tile and traffic server was asked for. */
  readonly asked: string[];
  close(): Promise<void>;
}

export const tileColour = [222, 232, 214] as const;

function listen(listener: RequestListener): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer(listener);
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function policy(profile: Profile, origin: string): string {
  const shared = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; object-src 'none'";
  switch (profile) {
    case "declared":
      return `${shared}; img-src data: blob: ${origin}; connect-src ${origin}; worker-src blob:`;
    case "strict":
      return `${shared}; img-src ${origin}; connect-src ${origin}; worker-src 'none'`;
    case "blocked":
      return `${shared}; img-src 'none'; connect-src 'none'; worker-src 'none'`;
  }
}

/** document_ fills the configuration in as the Go package does. */
function documentFor(origin: string): string {
  const config = {
    tiles: `${origin}/tile/{z}/{x}/{y}?key={key}&style={style}&size={size}`,
    attribution: "© Stand-in",
    incidents: `${origin}/incidents?bbox={bbox}&key={key}`,
  };
  const html = readFileSync(join(here, "../../dist/map.html"), "utf8");
  return html.replace('"@widget-config@"', () => JSON.stringify(config).replaceAll("<", "\\u003c"));
}

export async function serve(): Promise<Served> {
  const asked: string[] = [];
  const picture = tile(tileColour, [200, 212, 192]);
  const outside = await listen((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    response.setHeader("access-control-allow-origin", "*");
    if (path.startsWith("/incidents")) response.setHeader("content-type", "application/json").end(JSON.stringify(incidents()));
    else response.setHeader("content-type", "image/png").end(picture);
  });
  const origin = originOf(outside);
  const hostPage = readFileSync(join(here, "host.html"));
  const document = documentFor(origin);
  const host = await listen((request, response) => {
    const url = new URL(request.url ?? "", "http://host");
    response.setHeader("content-type", "text/html; charset=utf-8");
    if (url.pathname !== "/view") {
      response.end(hostPage);
      return;
    }
    response.setHeader("content-security-policy", policy(url.searchParams.get("profile") as Profile, origin));
    response.end(document);
  });
  const hostOrigin = originOf(host);
  return {
    hostURL: `${hostOrigin}/`,
    viewURL: (profile) => `${hostOrigin}/view?profile=${profile}`,
    asked,
    close: async () => {
      for (const server of [host, outside]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}
