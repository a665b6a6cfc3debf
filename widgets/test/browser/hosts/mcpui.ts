// A host on @mcp-ui/client's AppRenderer, which speaks MCP Apps by ext-apps 1.x.

import { AppRenderer, type AppRendererHandle, type AppRendererProps } from "@mcp-ui/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createElement, createRef } from "react";
import { createRoot } from "react-dom/client";
import type { Declared } from "../policies.ts";
import type { Heard, Host, Result } from "./contract.ts";

const extension = "io.modelcontextprotocol/ui";

let client: Client;
let props: AppRendererProps;
const heard: Heard[] = [];
const root = createRoot(document.getElementById("slot")!);
const handle = createRef<AppRendererHandle>();

function render(changed: Partial<AppRendererProps>): void {
  props = { ...props, ...changed };
  root.render(createElement(AppRenderer, { ...props, ref: handle }));
}

/** listenToCalls keeps what goes through the client, which the renderer hands the view's calls to. */
function listenToCalls(): void {
  const request = client.request.bind(client) as (...args: unknown[]) => Promise<unknown>;
  client.request = (async (asked: { method: string; params?: { name: string; arguments?: object } }, ...rest: unknown[]) => {
    const answer = await request(asked, ...rest);
    if (asked.method === "tools/call") heard.push({ what: "call", value: { name: asked.params?.name, input: asked.params?.arguments }, answer });
    return answer;
  }) as typeof client.request;
}

async function declaredBy(tool: string): Promise<Declared> {
  const { tools } = await client.listTools();
  const ui = tools.find(({ name }) => name === tool)?._meta?.["ui"] as { resourceUri: string };
  const { contents } = await client.readResource({ uri: ui.resourceUri });
  return (contents[0] as unknown as { _meta: { ui: { csp: Declared } } })._meta.ui.csp;
}

const host: Host = {
  async open({ gatewayURL, sandboxURL, profile, key, tool, context }) {
    client = new Client({ name: "mcpui-host", version: "1" }, { capabilities: { extensions: { [extension]: {} } } as never });
    const headers = { "tomtom-api-key": key };
    await client.connect(new StreamableHTTPClientTransport(new URL(gatewayURL), { requestInit: { headers } }) as never);
    listenToCalls();
    const csp = await declaredBy(tool);
    const url = new URL(sandboxURL);
    url.searchParams.set("profile", profile);
    await new Promise<void>((resolve) => {
      render({
        client: client as never,
        toolName: tool,
        sandbox: { url, csp: csp as never },
        hostContext: context as never,
        onSizeChanged: (value) => {
          heard.push({ what: "size", value });
          resolve();
        },
        onOpenLink: async (value) => (heard.push({ what: "link", value }), {}),
        onMessage: async (value) => (heard.push({ what: "message", value }), {}),
        onLoggingMessage: (value) => void heard.push({ what: "log", value }),
        onError: (error) => console.error(error),
      });
    });
  },
  async run(tool, input) {
    await host.input(input);
    const result = await host.call(tool, input);
    await host.result(result);
    return result;
  },
  partial: async (input) => render({ toolInputPartial: { arguments: input } }),
  input: async (input) => render({ toolInput: input }),
  call: async (name, input) => (await client.callTool({ name, arguments: input })) as Result,
  result: async (result) => render({ toolResult: result as never }),
  cancel: async () => render({ toolCancelled: true }),
  context: async (changed) => render({ hostContext: { ...props.hostContext, ...changed } }),
  faults() {
    throw new Error("this host has only the faults that it was built with");
  },
  async teardown() {
    handle.current!.teardownResource();
    heard.push({ what: "teardown", value: undefined });
  },
  heard: () => heard,
};

window.host = host;
