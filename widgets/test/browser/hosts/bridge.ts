// A host on ext-apps' own AppBridge (2.x), with the faults of real ones to choose from.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, getToolUiResourceUri, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { Heard, Host, HostOptions, Input, Result } from "./contract.ts";

const extension = "io.modelcontextprotocol/ui";
const mimeType = "text/html;profile=mcp-app";

let client: Client;
let bridge: AppBridge;
let options: HostOptions;
let frame: HTMLIFrameElement;
const heard: Heard[] = [];

class Refused extends Error {
  readonly code = -32601;
}

async function connect(): Promise<void> {
  client = new Client({ name: "bridge-host", version: "1" }, { capabilities: { extensions: { [extension]: { mimeTypes: [mimeType] } } } });
  const headers = { "tomtom-api-key": options.key };
  await client.connect(new StreamableHTTPClientTransport(new URL(options.gatewayURL), { requestInit: { headers } }));
}

async function document_(): Promise<{ html: string; csp: object }> {
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name === options.tool);
  const uri = tool === undefined ? undefined : getToolUiResourceUri(tool);
  if (uri === undefined) throw new Error(`${options.tool} has no document`);
  const { contents } = await client.readResource({ uri });
  const content = contents[0] as unknown as { text: string; mimeType: string; _meta: { ui: { csp: object } } };
  if (contents.length !== 1 || content.mimeType !== mimeType) throw new Error("want one document");
  const { resources } = await client.listResources();
  const listed = resources.find((resource) => resource.uri === uri);
  if (JSON.stringify(listed?._meta?.["ui"]) !== JSON.stringify(content._meta.ui)) {
    throw new Error("listing and contents declare different policies");
  }
  return { html: content.text, csp: content._meta.ui.csp };
}

function capabilities(): Record<string, object> {
  const all = { openLinks: {}, serverTools: {}, serverResources: {}, logging: {}, updateModelContext: { text: {} }, message: { text: {} } };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !options.without.includes(name)));
}

async function answer(name: string, input: Input): Promise<Result> {
  if (options.faults.silent?.includes(name)) return new Promise(() => undefined);
  if (options.faults.refuse?.includes(name)) throw new Refused(`${name}: not allowed`);
  return options.answers[name] ?? ((await client.callTool({ name, arguments: input })) as Result);
}

function wire(): void {
  bridge.oncalltool = async ({ name, arguments: input = {} }) => {
    const entry = { what: "call" as const, value: { name, input }, answer: undefined as unknown };
    heard.push(entry);
    return (entry.answer = await answer(name, input)) as never;
  };
  bridge.onreadresource = (params) => client.readResource(params) as never;
  // A host without a handler answers "method not found" by itself.
  if (!options.faults.refuseContext) bridge.onupdatemodelcontext = async () => ({});
  addEventListener("message", ({ data }) => {
    if (data?.method === "ui/update-model-context") heard.push({ what: "context", value: data.params });
  });
  bridge.onmessage = async (value) => {
    heard.push({ what: "message", value });
    return options.faults.refuseMessage ? { isError: true } : {};
  };
  bridge.onopenlink = async (value) => (heard.push({ what: "link", value }), {});
  bridge.onloggingmessage = (value) => void heard.push({ what: "log", value });
  bridge.onsizechange = (value) => {
    heard.push({ what: "size", value });
    if (bridge.getCapabilities() !== undefined && frame.dataset["mode"] !== "fullscreen") frame.style.height = `${value.height}px`;
  };
  bridge.onrequestdisplaymode = async ({ mode }) => {
    heard.push({ what: "mode", value: mode });
    frame.dataset["mode"] = mode;
    frame.style.height = mode === "fullscreen" ? "100vh" : "420px";
    setTimeout(() => void bridge.sendHostContextChange({ displayMode: mode }));
    return { mode };
  };
}

/** asHanded is the result as this host hands it over. */
function asHanded(result: Result): Result {
  const { _meta, ...rest } = result;
  if (options.faults.dropMeta) return rest;
  if (options.faults.replaceMeta) return { ...rest, _meta: { "host/request-id": "7f3a" } };
  return result;
}

const host: Host = {
  async open(chosen) {
    options = chosen;
    await connect();
    const { html, csp } = await document_();
    frame = document.createElement("iframe");
    frame.sandbox.add("allow-scripts", "allow-same-origin");
    const address = new URL(options.sandboxURL);
    address.searchParams.set("profile", options.profile);
    address.searchParams.set("csp", JSON.stringify(csp));
    frame.src = address.href;
    document.getElementById("slot")!.append(frame);
    bridge = new AppBridge(null, { name: "bridge-host", version: "1" }, capabilities() as never, { hostContext: options.context as never });
    wire();
    const ready = new Promise<void>((resolve) => (bridge.oninitialized = () => resolve()));
    bridge.onsandboxready = () => void bridge.sendSandboxResourceReady({ html });
    await bridge.connect(new PostMessageTransport(frame.contentWindow!, frame.contentWindow!) as never);
    await ready;
  },
  async run(tool, input) {
    await host.input(input);
    const result = await host.call(tool, input);
    await host.result(result);
    return result;
  },
  partial: (input) => bridge.sendToolInputPartial({ arguments: input }),
  input: async (input) => {
    if (!options.faults.dropInput) await bridge.sendToolInput({ arguments: input });
  },
  call: async (name, input) => (await client.callTool({ name, arguments: input })) as Result,
  async result(result) {
    await bridge.sendToolResult(asHanded(result) as never);
    if (options.faults.sendTwice) await bridge.sendToolResult(asHanded(result) as never);
  },
  cancel: () => bridge.sendToolCancelled({ reason: "the person pressed stop" }),
  context: async (changed) => {
    await bridge.sendHostContextChange(changed as never);
  },
  faults(changed) {
    options = { ...options, faults: changed };
  },
  async teardown() {
    await bridge.teardownResource({});
    heard.push({ what: "teardown", value: undefined });
    frame.remove();
  },
  heard: () => heard,
};

window.host = host;
