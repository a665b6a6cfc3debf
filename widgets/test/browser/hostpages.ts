// Builds the host pages, and serves them and their sandbox, each on an origin of its own.

import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { build } from "vite";
import { policyOf, type Profile } from "./policies.ts";

const sources = join(import.meta.dirname, "hosts");

export async function buildHostPages(folder: string): Promise<void> {
  await build({
    configFile: false,
    root: sources,
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      outDir: folder,
      emptyOutDir: true,
      minify: false,
      target: "es2022",
      modulePreload: false,
      chunkSizeWarningLimit: 1e6,
      rollupOptions: { input: { bridge: join(sources, "bridge.html"), mcpui: join(sources, "mcpui.html") } },
    },
  });
}

export interface HostPages {
  readonly hostOrigin: string;
  readonly sandboxURL: string;
  close(): void;
}

const types: Readonly<Record<string, string>> = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css" };

export async function serveHostPages(folder: string): Promise<HostPages> {
  const pages = await listen((request, response) => {
    const path = new URL(request.url ?? "", "http://host").pathname;
    if (!/^\/[\w./-]+$/.test(path) || path.includes("..")) {
      response.writeHead(404).end();
      return;
    }
    try {
      // A script that the browser keeps is compiled once for all views.
      response.setHeader("cache-control", extname(path) === ".js" ? "max-age=3600" : "no-store");
      response.setHeader("content-type", types[extname(path)] ?? "application/octet-stream").end(readFileSync(join(folder, path)));
    } catch {
      response.writeHead(404).end();
    }
  });
  const sandbox = readFileSync(join(sources, "sandbox.html"));
  const sandboxes = await listen((request, response) => {
    const { searchParams } = new URL(request.url ?? "", "http://sandbox");
    const declared = JSON.parse(searchParams.get("csp") ?? "{}");
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.setHeader("content-security-policy", policyOf(searchParams.get("profile") as Profile, declared));
    response.end(sandbox);
  });
  return {
    hostOrigin: originOf(pages),
    sandboxURL: `${originOf(sandboxes)}/sandbox.html`,
    close() {
      for (const server of [pages, sandboxes]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
