// The view's side of MCP Apps (2026-01-26): the handshake, what the host tells, and what the view may ask.

import { asObject, asText, at, objectsOf, type JsonObject } from "../json.ts";
import { merge, readContext, readMode, type DisplayMode, type HostContext } from "./context.ts";
import { Peer, RequestError } from "./peer.ts";
import type { Port } from "./port.ts";

export const protocolVersion = "2026-01-26";

const handshakeTimeoutMs = 10_000;
const requestTimeoutMs = 15_000;
/** A host may ask the person first. */
const messageTimeoutMs = 60_000;
/** A call of a tool may download a data set upstream first. */
const callTimeoutMs = 60_000;

export interface ViewEvents {
  toolInput(input: JsonObject): void;
  toolInputPartial(input: JsonObject): void;
  toolResult(result: JsonObject): void;
  toolCancelled(reason: string): void;
  contextChanged(context: HostContext): void;
  teardown(): void;
}

export class View {
  readonly #peer: Peer;
  readonly #events: ViewEvents;
  #rawContext: JsonObject = {};
  #capabilities: JsonObject = {};
  #name = "";

  /** The constructor listens at once, so that nothing the host sends early is lost. */
  constructor(port: Port, events: ViewEvents) {
    this.#events = events;
    const peer = new Peer(port);
    this.#peer = peer;
    const inputOf = (params: JsonObject): JsonObject => asObject(params["arguments"]) ?? {};
    peer.on("ui/notifications/tool-input", (params) => events.toolInput(inputOf(params)));
    peer.on("ui/notifications/tool-input-partial", (params) => events.toolInputPartial(inputOf(params)));
    peer.on("ui/notifications/tool-result", (params) => events.toolResult(params));
    peer.on("ui/notifications/tool-cancelled", (params) => events.toolCancelled(asText(params["reason"]) ?? ""));
    peer.on("ui/notifications/host-context-changed", (params) => this.#learn(params));
    peer.answer("ping", () => ({}));
    peer.answer("ui/resource-teardown", () => {
      // The answer goes out first: closing would swallow it.
      setTimeout(() => this.close(), 0);
      events.teardown();
      return {};
    });
  }

  /** connect shakes hands. It rejects where the host refuses or is silent; a result may still come then. */
  async connect(name: string, version: string): Promise<void> {
    this.#name = name;
    const params = {
      appInfo: { name, version },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
      protocolVersion,
    };
    const result = await this.#peer.request("ui/initialize", params, handshakeTimeoutMs);
    this.#capabilities = asObject(at(result, "hostCapabilities")) ?? {};
    this.#learn(asObject(at(result, "hostContext")) ?? {});
    this.#peer.notify("ui/notifications/initialized");
  }

  get context(): HostContext {
    return readContext(this.#rawContext);
  }

  /** supports tells what the host declared, such as openLinks or updateModelContext. */
  supports(capability: string): boolean {
    return Object.hasOwn(this.#capabilities, capability);
  }

  /** sizeChanged tells the height that the view wants. Its width is the host's: a host that is told one may fix it. */
  sizeChanged(heightPx: number): void {
    this.#peer.notify("ui/notifications/size-changed", { height: heightPx });
  }

  /** callTool calls a tool of the server that served this document; the answer is a CallToolResult. */
  async callTool(name: string, input: JsonObject, timeoutMs = callTimeoutMs): Promise<JsonObject> {
    return asObject(await this.#peer.request("tools/call", { name, arguments: input }, timeoutMs)) ?? {};
  }

  /** openLink asks the host to open a page; only http and https pages are asked for. */
  async openLink(url: string): Promise<void> {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return;
    await this.#peer.request("ui/open-link", { url }, requestTimeoutMs);
  }

  /** updateModelContext overwrites what the model is told of the view; off where the host lacks it. */
  async updateModelContext(text: string): Promise<void> {
    if (!this.supports("updateModelContext")) return;
    await this.#peer.request("ui/update-model-context", { content: [{ type: "text", text }] }, requestTimeoutMs);
  }

  /**
   * sendMessage says something in the conversation in the person's name; only ever what the person asked for. It rejects
   * with a RequestError where the host refuses, by an error of the protocol or in its answer.
   */
  async sendMessage(text: string): Promise<void> {
    const method = "ui/message";
    const answer = await this.#peer.request(method, { role: "user", content: [{ type: "text", text }] }, messageTimeoutMs);
    if (at(answer, "isError") === true) throw new RequestError(method, "refused", `${method}: not taken`);
  }

  /**
   * readResource reads a resource of the server that served this document; the answer is its contents. No map needs it:
   * a result carries its data, or a tool supplies it. It completes what a view may ask, for a server that links to its
   * data instead.
   */
  async readResource(uri: string): Promise<readonly JsonObject[]> {
    const result = await this.#peer.request("resources/read", { uri }, requestTimeoutMs);
    return objectsOf(at(result, "contents"));
  }

  /** log tells whoever looks after the host; never data of a result. */
  log(level: "info" | "warning" | "error", data: JsonObject): void {
    if (this.supports("logging")) this.#peer.notify("notifications/message", { level, logger: this.#name, data });
  }

  /** requestDisplayMode answers the mode that the host chose, which may be another. */
  async requestDisplayMode(mode: DisplayMode): Promise<DisplayMode> {
    if (!this.context.availableDisplayModes.includes(mode)) return this.context.displayMode;
    const result = await this.#peer.request("ui/request-display-mode", { mode }, requestTimeoutMs);
    const chosen = readMode(at(result, "mode")) ?? this.context.displayMode;
    this.#learn({ displayMode: chosen });
    return chosen;
  }

  close(): void {
    this.#peer.close();
  }

  #learn(changed: JsonObject): void {
    this.#rawContext = merge(this.#rawContext, changed);
    this.#events.contextChanged(this.context);
  }
}
