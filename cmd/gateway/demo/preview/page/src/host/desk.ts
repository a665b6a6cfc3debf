// Where a widget's wishes are dealt with: the rules first, then the person, then the server, which checks once more.

import type { Client } from "../api/client.ts";
import type { Call, Session } from "../api/types.ts";
import type { JsonObject } from "../json.ts";
import type { Log } from "../log/log.ts";
import type { Answer, Question } from "../ui/approvals.ts";
import { textsOf } from "./content.ts";
import type { Mode } from "./context.ts";
import type { Faults } from "./faults.ts";
import { judge, linkOf } from "./rules.ts";
import { denied, methodNotFound, Refused, type Guest, type View } from "./view.ts";

/** What the desk needs of the page. */
export interface Desk {
  ask(question: Question): Promise<Answer>;
  faults(): Faults;
  showContext(params: JsonObject): void;
  /** remark puts what the map says in the person's name into the conversation. */
  remark(text: string): void;
  open(url: URL): void;
  size(heightPx: number): void;
  mode(): Mode;
  setMode(mode: Mode): void;
}

const once = "Only widgets see this tool. You are asked once.";
const eachTime = "An agent could run this tool too, and it may be billed. You are asked each time.";

function question(what: string, detail: JsonObject, note: string): Question {
  return { what, sentence: "The widget asks to run", detail, note };
}

export class HostDesk {
  readonly #remembered = new Set<string>();
  readonly #asking = new Map<string, Promise<Answer>>();

  constructor(
    readonly client: Client,
    readonly session: Session,
    readonly log: Log,
    readonly page: Desk,
  ) {}

  /** guestFor deals with what the widget of a call asks for. */
  guestFor(call: Call, view: () => View): Guest {
    return {
      callTool: (name, input) => this.#callTool(call, name, input),
      updateContext: (params) => this.page.showContext(params),
      say: (params) => this.#say(params),
      openLink: (params) => this.#openLink(params),
      size: (heightPx) => this.page.size(heightPx),
      mode: (asked) => this.#mode(asked, view()),
      message: (way, message) => this.log.message(way, message),
    };
  }

  async #callTool(call: Call, name: string, input: JsonObject): Promise<JsonObject> {
    if (this.page.faults().has("rejectCalls")) throw this.#refuse(name, "This host lets no widget call a tool.", denied);
    const verdict = judge(this.session, this.#remembered, name);
    if (verdict.kind === "refused") throw this.#refuse(name, verdict.reason, methodNotFound);
    if (verdict.kind === "ask") {
      const answer = await (verdict.remember ? this.#askOnce(name, input) : this.page.ask(question(name, input, eachTime)));
      this.log.note(answer, name);
      if (answer !== "approved") throw this.#refuse(name, answer === "rejected" ? "Rejected by the person." : "Nobody answered.", denied);
    }
    return this.client.widgetCall(call.id, name, input, true).catch((error: Error) => {
      throw this.#refuse(name, error.message, denied);
    });
  }

  /** askOnce asks about a tool that only apps see: one question at a time, and none after it was approved. */
  #askOnce(name: string, input: JsonObject): Promise<Answer> {
    const open = this.#asking.get(name);
    if (open !== undefined) return open;
    const asked = this.page.ask(question(name, input, once)).then((answer) => {
      this.#asking.delete(name);
      if (answer === "approved") this.#remembered.add(name);
      return answer;
    });
    this.#asking.set(name, asked);
    return asked;
  }

  #refuse(name: string, reason: string, code: number): Refused {
    this.log.note("refused", name, { reason });
    return new Refused(reason, code);
  }

  async #say(params: JsonObject): Promise<void> {
    const texts = textsOf(params["content"]);
    if (texts.length === 0) throw new Refused("Only texts can be said here.", denied);
    const text = texts.join("\n");
    const answer = await this.page.ask({ what: text, sentence: "The widget wants to say for you:", note: "It would be your next message to the agent." });
    this.log.note(answer, "message");
    if (answer !== "approved") throw new Refused("Not said.", denied);
    this.page.remark(text);
  }

  async #openLink(params: JsonObject): Promise<void> {
    const url = linkOf(params);
    if (url === undefined) throw this.#refuse("open-link", "Only pages on the web are opened.", denied);
    const answer = await this.page.ask({ what: url.href, sentence: "The widget asks to open", note: "It opens in a window of its own." });
    this.log.note(answer, url.href);
    if (answer !== "approved") throw new Refused("Not opened.", denied);
    this.page.open(url);
  }

  #mode(asked: Mode, view: View): Mode {
    if (asked !== "pip" && view.canShow(asked)) this.page.setMode(asked);
    return this.page.mode();
  }
}
