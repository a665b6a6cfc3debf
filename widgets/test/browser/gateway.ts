// The real gateway, built from this tree, in front of its own demonstration upstream.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");

function run(command: string, args: string[], cwd: string): string {
  const done = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (done.error !== undefined) throw new Error(`${command}: ${done.error.message}: the browser tests need Go`);
  if (done.status !== 0) throw new Error(`${command} ${args.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

/** buildGateway answers the binary's path. The document that it serves is the one in dist. */
export function buildGateway(folder: string): string {
  const binary = join(folder, "gateway");
  run("go", ["build", "-o", binary, "./cmd/gateway"], root);
  return binary;
}

/** makeCertificate uses what Go's own tree has for it: no other program is needed. */
export function makeCertificate(folder: string): { cert: Buffer; key: Buffer } {
  const generator = join(run("go", ["env", "GOROOT"], root).trim(), "src/crypto/tls/generate_cert.go");
  run("go", ["run", generator, "-host", "127.0.0.1", "-ecdsa-curve", "P256"], folder);
  return { cert: readFileSync(join(folder, "cert.pem")), key: readFileSync(join(folder, "key.pem")) };
}

export interface Gateway {
  readonly mcpURL: string;
  readonly metricsURL: string;
  stop(): Promise<void>;
}

/** startGateway resolves once its endpoint is known, which is when it listens. */
export function startGateway(binary: string, tilesOrigin: string, flags: readonly string[] = []): Promise<Gateway> {
  const any = ["-listen", "127.0.0.1:0", "-admin", "127.0.0.1:0", "-upstream", "127.0.0.1:0"];
  const child = spawn(binary, ["demo", ...any, ...flags], {
    env: {
      ...process.env,
      GATEWAY_TILES: `${tilesOrigin}/tile/{z}/{x}/{y}?key={key}&style={style}&size={size}`,
      GATEWAY_TILES_ATTRIBUTION: "© Stand-in tiles",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return new Promise((resolve, reject) => {
    let out = "";
    let log = "";
    child.stderr.on("data", (text) => (log += String(text)));
    child.on("exit", (code) => reject(new Error(`gateway demo ended with ${code}: ${log}`)));
    child.stdout.on("data", (text) => {
      out += String(text);
      const mcpURL = /^gateway\s+(\S+)/m.exec(out)?.[1];
      const admin = /^admin\s+(\S+)\/readyz/m.exec(out)?.[1];
      if (mcpURL === undefined || admin === undefined) return;
      resolve({ mcpURL, metricsURL: `${admin}/metrics`, stop: () => stop(child) });
    });
  });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill();
  });
}
