// Wires the document together: connects first, so that no message is lost, then makes the map.

import "./ui/style.css";
import "./ui/card.css";
import { version } from "../package.json";
import { readConfig } from "./config.ts";
import { fetchIncidents } from "./data/live.ts";
import { textOf } from "./data/result.ts";
import { Engine } from "./engine/engine.ts";
import { parentPort } from "./protocol/port.ts";
import { View } from "./protocol/view.ts";
import { sendReport } from "./report.ts";
import { Session } from "./session.ts";
import { Shell } from "./ui/shell.ts";
import { themeOf } from "./ui/theme.ts";

const keyTool = "tomtom-get-api-key";
const keyTimeoutMs = 15_000;

function start(root: HTMLElement): void {
  const config = readConfig(document.getElementById("widget-config")?.textContent);
  let tilesAsked = false;
  let sentSize = "";

  const view: View = new View(parentPort(window), {
    toolInput: (input) => session.toolInput(input),
    toolInputPartial: () => session.toolInputPartial(),
    toolResult: (result) => void session.toolResult(result),
    toolCancelled: () => session.toolCancelled(),
    contextChanged: (context) => {
      shell.setContext(context);
      engine.setTheme(themeOf(context));
      tellSize();
    },
    teardown: () => {
      session.end();
      sizes.disconnect();
      engine.destroy();
    },
  });

  const shell = new Shell(
    root,
    {
      zoomBy: (levels) => engine.zoomBy(levels),
      toggleFullscreen: () => {
        const mode = view.context.displayMode === "fullscreen" ? "inline" : "fullscreen";
        view.requestDisplayMode(mode).catch(() => undefined);
      },
    },
    config.attribution,
    view.context,
  );

  const engine = new Engine(
    shell.map,
    {
      picked: (detail) => shell.showDetail(detail),
      tiles: (state) => shell.setTiles(state === "blocked" ? "blocked" : "none", state === "shown"),
    },
    themeOf(view.context),
  );
  shell.setTiles("none", false);

  const session = new Session({
    show: (state) => {
      shell.show(state);
      tellSize();
    },
    draw: async (scene, maxErrorM) => {
      askTiles();
      shell.prepare(scene, maxErrorM);
      await engine.draw(scene, shell.padding());
    },
    brief: (input) => ({ texts: shell.texts, format: shell.format, input }),
    callTool: (name, input) => view.callTool(name, input),
    incidents: (input) => fetchIncidents(config.incidents, askKey, input),
    report: (report) => void sendReport((name, input, timeoutMs) => view.callTool(name, input, timeoutMs), report),
    hostTool: () => view.context.toolName,
    nowMs: () => performance.now(),
  });

  let key: Promise<string | undefined> | undefined;
  /** askKey asks once: every map of a conversation would ask again for each tile otherwise. */
  function askKey(): Promise<string | undefined> {
    key ??= view.callTool(keyTool, {}, keyTimeoutMs).then(
      (answer) => (answer["isError"] === true ? undefined : textOf(answer)?.trim()),
      () => undefined,
    );
    return key;
  }

  function askTiles(): void {
    if (tilesAsked) return;
    tilesAsked = true;
    const asked = config.tiles.includes("{key}") ? askKey() : Promise.resolve("");
    void asked.then((answer) => {
      if (config.tiles === "" || answer === undefined) shell.setTiles("blocked", false);
      else engine.useTiles(config.tiles, answer);
    });
  }

  function tellSize(): void {
    const { width, height } = shell.sizePx();
    const size = `${width}x${height}`;
    if (size === sentSize || height === 0) return;
    sentSize = size;
    view.sizeChanged(width, height);
  }

  const sizes = new ResizeObserver(() => {
    tellSize();
    engine.resize();
  });
  sizes.observe(root);

  // A host that is silent now may yet send a result; one that never does must not leave the person waiting.
  view.connect("tomtom-map", version).then(tellSize, () => session.expectResult());
}

start(document.getElementById("app")!);
