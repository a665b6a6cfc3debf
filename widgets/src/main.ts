// Wires the document together: connects first, so that no message is lost, then makes the map.

import "./ui/style.css";
import "./ui/card.css";
import { version } from "../package.json";
import { readConfig } from "./config.ts";
import { fetchIncidents } from "./data/live.ts";
import { textOf } from "./data/result.ts";
import { Engine } from "./engine/engine.ts";
import { Feedback } from "./feedback.ts";
import type { HostContext } from "./protocol/context.ts";
import { methodNotFound, RequestError } from "./protocol/peer.ts";
import { parentPort } from "./protocol/port.ts";
import { View } from "./protocol/view.ts";
import { sendReport } from "./report.ts";
import { Selection } from "./selection.ts";
import { Session } from "./session.ts";
import type { TileNote } from "./ui/state.ts";
import { ScaleBar } from "./ui/scalebar.ts";
import { Shell } from "./ui/shell.ts";
import { themeOf } from "./ui/theme.ts";

const keyTool = "tomtom-get-api-key";
const keyTimeoutMs = 15_000;

function start(root: HTMLElement): void {
  const config = readConfig(document.getElementById("widget-config")?.textContent);
  let tilesAsked = false;
  let isConnected = false;
  let toldHeightPx: number | undefined;

  const scaleBar = new ScaleBar();
  const feedback: Feedback = new Feedback(
    (text) => view.updateModelContext(text),
    (error) => error instanceof RequestError && error.code === methodNotFound,
  );

  const view: View = new View(parentPort(window), {
    toolInput: (input) => session.toolInput(input),
    toolInputPartial: () => session.toolInputPartial(),
    toolResult: (result) => void session.toolResult(result),
    toolCancelled: () => session.toolCancelled(),
    contextChanged: look,
    teardown: () => {
      session.end();
      feedback.end();
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
      again: () => void session.again(),
      choose: (id) => selection.fromCard(id),
      closeDetail: () => {
        selection.clear();
        shell.map.focus({ preventScroll: true });
      },
      openLink: (url) => void view.openLink(url).catch(() => undefined),
      ask: () => (view.supports("message") ? (text) => view.sendMessage(text) : undefined),
    },
    config.attribution,
    view.context,
  );

  const engine = new Engine(
    shell.map,
    {
      picked: (picked) => selection.fromMap(picked),
      moved: (sight) => {
        scaleBar.show(sight.groundMPerPx, shell.format);
        feedback.looked(sight);
      },
      pointed: (at) => shell.pointAt(at),
      tiles: (state) => noteTiles(state === "blocked" ? "blocked" : "none", state === "shown"),
    },
    themeOf(view.context),
  );
  shell.setTiles("none", false);
  root.append(scaleBar.element);

  let maxErrorM: number | undefined;
  const selection: Selection = new Selection({
    choose: (id) => engine.choose(id),
    look: (id) => engine.look(id),
    showVariant: (scene) => {
      shell.show({ kind: "drawn", scene, ...(maxErrorM !== undefined ? { maxErrorM } : {}) });
      engine.redraw(scene);
    },
    reword: (scene) => {
      shell.show({ kind: "drawn", scene, ...(maxErrorM !== undefined ? { maxErrorM } : {}) });
      engine.reword(scene);
    },
    showDetail: (detail) => shell.showDetail(detail),
    markChosen: (id) => shell.markChosen(id),
    selected: (detail) => feedback.selected(detail),
  });

  const session = new Session({
    show: (state) => {
      shell.show(state);
      tellSize();
    },
    draw: async (tool, scene, errorM) => {
      askTiles();
      maxErrorM = errorM;
      selection.setScene(scene);
      feedback.begin(tool);
      shell.prepare(scene, errorM);
      await engine.draw(scene, shell.padding());
    },
    reword: (scene) => selection.reword(scene),
    brief: (input) => ({ texts: shell.texts, format: shell.format, input }),
    callTool: (name, input) => view.callTool(name, input),
    incidents: (input) => fetchIncidents(config.incidents, askKey, input),
    report: (report) => {
      void sendReport((name, input, timeoutMs) => view.callTool(name, input, timeoutMs), report);
      if (report.outcome === "error") view.log("warning", { tool: report.tool, reason: report.reason ?? "" });
    },
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
    void key.then((answer) => {
      // Whoever asks later may be luckier.
      if (answer === undefined) key = undefined;
    });
    return key;
  }

  /** noteTiles may make the card higher; the map then makes room for it. */
  function noteTiles(note: TileNote, shown: boolean): void {
    shell.setTiles(note, shown);
    engine.nameCountries(note === "blocked");
    engine.pad(shell.padding());
  }

  function askTiles(): void {
    if (tilesAsked) return;
    tilesAsked = true;
    const asked = config.tiles.includes("{key}") ? askKey() : Promise.resolve("");
    void asked.then((answer) => {
      if (config.tiles === "" || answer === undefined) noteTiles("blocked", false);
      else engine.useTiles(config.tiles, answer);
    });
  }

  function look(context: HostContext): void {
    const { format } = shell;
    shell.setContext(context);
    if (shell.format !== format) {
      scaleBar.write(shell.format);
      session.reword();
    }
    engine.setTheme(themeOf(context));
    engine.setLocale(shell.locale);
    tellSize();
  }

  /** tellSize asks for the height that the document wants, where the host leaves that to it: it says so as it answers. */
  function tellSize(): void {
    if (!isConnected) return;
    const heightPx = shell.wantedHeightPx();
    if (heightPx === toldHeightPx) return;
    toldHeightPx = heightPx;
    if (heightPx !== undefined) view.sizeChanged(heightPx);
  }

  const sizes = new ResizeObserver(() => {
    tellSize();
    engine.pad(shell.padding());
    engine.resize();
  });
  sizes.observe(root);
  // Where the host gives no theme, the system's counts, also when night falls.
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => look(view.context));

  // A host that is silent now may yet send a result; one that never does must not leave the person waiting.
  view
    .connect("tomtom-map", version)
    .catch(() => undefined)
    .then(() => {
      isConnected = true;
      tellSize();
      session.expectResult();
    });
}

start(document.getElementById("app")!);
