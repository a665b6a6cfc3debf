// Puts the page together: the session first, then everything that needs it.

import "./ui/style.css";
import "./ui/page.css";
import "./ui/side.css";
import "./ui/conversation.css";
import "./ui/panels.css";
import "./ui/messages.css";
import { config } from "zod";
import { ApiError, Client, takeToken } from "./api/client.ts";
import type { Session } from "./api/types.ts";
import type { Theme } from "./host/context.ts";
import { HostDesk } from "./host/desk.ts";
import { followGateway } from "./log/gateway.ts";
import { Log } from "./log/log.ts";
import { Preview } from "./preview.ts";
import { el } from "./ui/dom.ts";
import { Layout } from "./ui/layout.ts";

// This page's own policy forbids code that is made of text.
config({ jitless: true });

/** A window that is being drawn larger is one change, not a hundred. */
const settledMs = 200;

const noToken = "This page opens with the whole address that the terminal printed.";

async function start(root: HTMLElement): Promise<void> {
  const client = new Client(takeToken(location, history, sessionStorage));
  let session: Session;
  try {
    session = await client.session();
  } catch (error) {
    const sentence = error instanceof ApiError && error.status === 401 ? noToken : (error as Error).message;
    root.replaceChildren(el("p", { class: "problem whole", role: "alert" }, sentence));
    return;
  }
  open(root, client, session);
}

function open(root: HTMLElement, client: Client, session: Session): void {
  const theme: Theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.dataset["theme"] = theme;
  const log: Log = new Log((entry) => layout.log.update(entry));
  const layout: Layout = new Layout(root, session, log, theme, {
    said: ({ tool, arguments: input, text }) => void preview.run(tool, input, text),
    ran: (tool, input) => void preview.run(tool.name, input),
    opened: (call) => void preview.open(call),
    limited: (limit) => void preview.refit(limit),
    chosen: (choices) => {
      document.documentElement.dataset["theme"] = choices.theme;
      preview.changed(choices);
    },
    faults: (active) => {
      log.note("faults", [...active].join(", "));
      void preview.replay();
    },
  });
  const desk = new HostDesk(client, session, log, {
    ask: (question) => layout.approvals.ask(question),
    faults: () => layout.switches.active,
    showContext: (params) => layout.agent.showContext(params),
    remark: (text) => layout.thread.remark(text),
    open: (url) => void window.open(url, "_blank", "noopener,noreferrer"),
    size: (heightPx) => layout.stage.want(heightPx),
    mode: () => layout.switches.choices.mode,
    setMode: (mode) => layout.switches.choose({ mode }),
  });
  const preview: Preview = new Preview(client, session, layout, desk);
  addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    if (layout.switches.choices.mode !== "inline") layout.switches.choose({ mode: "inline" });
    else layout.openTools(false);
  });
  let resized: ReturnType<typeof setTimeout> | undefined;
  addEventListener("resize", () => {
    clearTimeout(resized);
    resized = setTimeout(() => preview.changed(layout.switches.choices), settledMs);
  });
  void client.calls().then((calls) => layout.history.show(calls));
  void followGateway(client, log);
}

void start(document.getElementById("app")!);
