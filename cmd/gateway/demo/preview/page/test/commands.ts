// The real programs, built from this tree, on free ports.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../../../../..");
const anyPort = "127.0.0.1:0";

export function build(folder: string, what: string, name: string): string {
  const binary = join(folder, name);
  const done = spawnSync("go", ["build", "-o", binary, what], { cwd: root, encoding: "utf8" });
  if (done.error !== undefined) throw new Error(`go: ${done.error.message}: the browser tests need Go`);
  if (done.status !== 0) throw new Error(`go build ${what}: ${done.stderr}`);
  return binary;
}

export interface Running {
  /** What the program printed and was waited for. */
  readonly said: string;
  stop(): Promise<void>;
}

/** start resolves once the program has printed what is waited for, which is when it listens. */
export function start(binary: string, args: readonly string[], wanted: RegExp, environ: Record<string, string> = {}): Promise<Running> {
  const child = spawn(binary, args, { env: { ...process.env, ...environ }, stdio: ["pipe", "pipe", "pipe"] });
  return new Promise((resolve, reject) => {
    let out = "";
    let log = "";
    child.stderr.on("data", (text) => (log += String(text)));
    child.on("exit", (code) => reject(new Error(`${binary} ${args.join(" ")} ended with ${code}: ${log}`)));
    child.stdout.on("data", (text) => {
      out += String(text);
      const said = wanted.exec(out)?.[0];
      if (said !== undefined) resolve({ said, stop: () => stop(child) });
    });
  });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill();
  });
}

const address = /http:\/\/\S+\?token=\S+/;

/** demo is `gateway demo`; said is the page's address with its token. */
export function demo(gateway: string): Promise<Running> {
  const all = ["-listen", "-admin", "-upstream", "-page", "-sandbox"].flatMap((flag) => [flag, anyPort]);
  return start(gateway, ["demo", ...all], address);
}

/** preview is `gateway preview` in front of a server. */
export function preview(gateway: string, upstream: string, key: string): Promise<Running> {
  return start(gateway, ["preview", "-page", anyPort, "-sandbox", anyPort, "-upstream", upstream], address, { TOMTOM_API_KEY: key });
}
