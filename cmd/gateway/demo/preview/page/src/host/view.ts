// One widget in its two frames, from the sandbox's first word to the last goodbye. The host side of MCP Apps is
// ext-apps' AppBridge; this adds the frame, the order of things, and the faults of real hosts.

import { AppBridge, type McpUiHostCapabilities, type McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { Resource } from "../api/types.ts";
import type { JsonObject } from "../json.ts";
import type { Mode } from "./context.ts";
import { handed, partOf, slowMs, type Faults } from "./faults.ts";
import { FrameTransport } from "./transport.ts";

/** Refused is an answer with an error of JSON-RPC. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message);
  }
}

export const methodNotFound = -32601;
/** For what a person or a rule did not allow. */
export const denied = -32000;

/** What the page does with what a widget asks or tells. A rejected promise is the widget's error. */
export interface Guest {
  callTool(name: string, input: JsonObject): Promise<JsonObject>;
  updateContext(params: JsonObject): void;
  say(params: JsonObject): Promise<void>;
  openLink(params: JsonObject): Promise<void>;
  size(heightPx: number): void;
  mode(asked: Mode): Mode;
  message(way: "to widget" | "from widget", message: JsonObject): void;
}

const capabilities: McpUiHostCapabilities = {
  openLinks: {},
  serverTools: {},
  logging: {},
  updateModelContext: { text: {} },
  message: { text: {} },
};

const goodbyeMs = 1000;

export interface ViewOptions {
  readonly resource: Resource;
  readonly context: JsonObject;
  readonly faults: Faults;
  readonly version: string;
}

export class View {
  readonly frame: HTMLIFrameElement;
  /** ready resolves once the widget said that it is. It never does where the widget does not speak MCP Apps. */
  readonly ready: Promise<void>;
  readonly #bridge: AppBridge;
  readonly #options: ViewOptions;
  #ended = false;

  /** The frame is put into slot at once; the handshake follows by itself. */
  constructor(slot: HTMLElement, options: ViewOptions, guest: Guest) {
    this.#options = options;
    const { resource, faults } = options;
    const address = new URL(resource.sandbox);
    if (faults.has("strictCSP")) address.searchParams.set("csp", "strict");
    this.frame = document.createElement("iframe");
    this.frame.title = "Widget";
    this.frame.referrerPolicy = "no-referrer";
    this.frame.sandbox.add("allow-scripts", "allow-same-origin");
    this.frame.src = address.href;
    slot.append(this.frame);
    const transport = new FrameTransport(this.frame.contentWindow!, address.origin, {
      sent: (message) => guest.message("to widget", message as unknown as JsonObject),
      heard: (message) => guest.message("from widget", message as unknown as JsonObject),
      delayMs: () => (faults.has("slow") ? slowMs : 0),
    });
    this.#bridge = new AppBridge(null, { name: "tomtom-mcp-gateway-preview", version: options.version }, capabilities, {
      hostContext: options.context as McpUiHostContext,
    });
    this.ready = new Promise((resolve) => (this.#bridge.oninitialized = () => resolve()));
    this.#answer(guest);
    void this.#bridge.connect(transport);
  }

  /** canShow tells whether the widget said that it can be shown so. */
  canShow(mode: Mode): boolean {
    const modes = this.#bridge.getAppCapabilities()?.availableDisplayModes;
    return modes === undefined ? mode === "inline" : modes.includes(mode);
  }

  /** input tells what the tool was called with; false where the host keeps the rest of the call to itself for now. */
  async input(input: JsonObject): Promise<boolean> {
    await this.ready;
    const { faults } = this.#options;
    if (this.#ended) return false;
    if (faults.has("partialInput")) {
      await this.#bridge.sendToolInputPartial({ arguments: partOf(input) });
      return false;
    }
    if (!faults.has("noInput")) await this.#bridge.sendToolInput({ arguments: input });
    return true;
  }

  async result(result: JsonObject): Promise<void> {
    await this.ready;
    const { faults } = this.#options;
    for (let sent = 0; sent < (faults.has("twice") ? 2 : 1) && !this.#ended; sent++) {
      await this.#bridge.sendToolResult(handed(result, faults) as Parameters<AppBridge["sendToolResult"]>[0]);
    }
  }

  async changeContext(changed: JsonObject): Promise<void> {
    await this.ready;
    if (!this.#ended) await this.#bridge.sendHostContextChange(changed as McpUiHostContext);
  }

  /** end says goodbye, and takes the frame away whether or not there is an answer. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#bridge.getAppVersion() !== undefined) {
      await this.#bridge.teardownResource({}, { timeout: goodbyeMs }).catch(() => undefined);
    }
    await this.#bridge.close();
    this.frame.remove();
  }

  #answer(guest: Guest): void {
    const { resource, faults } = this.#options;
    let placed = false;
    this.#bridge.onsandboxready = () => {
      // Once: whoever says so again is not the sandbox.
      if (placed) return;
      placed = true;
      void this.#bridge.sendSandboxResourceReady({ html: resource.html, csp: resource.csp });
    };
    this.#bridge.oncalltool = async ({ name, arguments: input = {} }) => {
      return (await guest.callTool(name, input)) as Awaited<ReturnType<NonNullable<AppBridge["oncalltool"]>>>;
    };
    this.#bridge.onupdatemodelcontext = async (params) => {
      if (faults.has("denyContext")) throw new Refused("This host takes no model context.", methodNotFound);
      guest.updateContext(params as JsonObject);
      return {};
    };
    this.#bridge.onmessage = async (params) => {
      await guest.say(params as unknown as JsonObject);
      return {};
    };
    this.#bridge.onopenlink = async (params) => {
      await guest.openLink(params as JsonObject);
      return {};
    };
    this.#bridge.onsizechange = ({ height }) => {
      if (height !== undefined) guest.size(height);
    };
    this.#bridge.onrequestdisplaymode = async ({ mode }) => ({ mode: guest.mode(mode) });
  }
}
