// The log as a drawer at the foot of the page: every message, which way it went, and what is in it.

import { isReport, matches, type Entry, type Log, type Way } from "../log/log.ts";
import { button, el } from "./dom.ts";
import { brief } from "./format.ts";
import { icon } from "./icons.ts";

const ways: readonly { way: Way; label: string; arrow: string }[] = [
  { way: "to widget", label: "to the widget", arrow: "→" },
  { way: "from widget", label: "from the widget", arrow: "←" },
  { way: "host", label: "of the host", arrow: "•" },
  { way: "gateway", label: "of the gateway", arrow: "⇄" },
];

export class LogPane {
  readonly element = el("section", { class: "log", "aria-label": "Messages" });
  readonly #list = el("ol", { class: "log-list", tabindex: 0 });
  readonly #count = el("span", { class: "count" }, "0");
  readonly #filter = el("input", { type: "search", placeholder: "Filter", "aria-label": "Filter messages" });
  readonly #shown = new Set<Way>(ways.map(({ way }) => way));
  readonly #rows = new Map<Entry, HTMLElement>();
  readonly #open: HTMLButtonElement;

  constructor(readonly log: Log) {
    this.#open = button([icon("log"), "Messages ", this.#count], () => this.toggle(), { class: "log-open", "aria-expanded": "false" });
    const checks = ways.map(({ way, label, arrow }) => {
      const box = el("input", { type: "checkbox", checked: true });
      box.addEventListener("change", () => {
        if (box.checked) this.#shown.add(way);
        else this.#shown.delete(way);
        this.#sift();
      });
      return el("label", { class: "way" }, box, el("span", { "data-way": way, "aria-hidden": "true" }, arrow), label);
    });
    const tools = el("div", { class: "log-tools" }, this.#filter, ...checks, button("Clear", () => log.clear(), { class: "quiet" }));
    this.#filter.addEventListener("input", () => this.#sift());
    this.element.append(el("div", { class: "log-head" }, this.#open, tools), this.#list);
  }

  toggle(open = this.#open.getAttribute("aria-expanded") !== "true"): void {
    this.#open.setAttribute("aria-expanded", String(open));
    this.element.classList.toggle("open", open);
    if (open) this.#list.scrollTop = this.#list.scrollHeight;
  }

  /** update takes a new entry in; without one the log was cleared. */
  update(entry: Entry | undefined): void {
    this.#count.textContent = String(this.log.entries.length);
    if (entry === undefined) {
      this.#rows.clear();
      this.#list.replaceChildren();
      return;
    }
    const isAtEnd = this.#list.scrollHeight - this.#list.scrollTop - this.#list.clientHeight < 40;
    const row = rowOf(entry);
    row.hidden = !matches(entry, this.#filter.value, this.#shown);
    this.#rows.set(entry, row);
    this.#list.append(row);
    for (const old of this.#rows.keys()) {
      if (this.#rows.size <= this.log.entries.length) break;
      this.#rows.get(old)?.remove();
      this.#rows.delete(old);
    }
    if (isAtEnd) this.#list.scrollTop = this.#list.scrollHeight;
  }

  #sift(): void {
    for (const [entry, row] of this.#rows) row.hidden = !matches(entry, this.#filter.value, this.#shown);
  }
}

function rowOf(entry: Entry): HTMLElement {
  const { arrow } = ways.find(({ way }) => way === entry.way)!;
  const summary = el(
    "summary",
    {},
    el("span", { class: "log-time" }, `${(entry.atMs / 1000).toFixed(2)} s`),
    el("span", { class: "log-way", "data-way": entry.way, title: entry.way }, arrow),
    el("span", { class: "log-method" }, entry.method),
    el("span", { class: "log-kind", "data-kind": entry.kind }, entry.kind === "request" || entry.kind === "notification" || entry.kind === "note" ? "" : entry.kind),
    el("span", { class: "log-about" }, entry.about),
    el("span", { class: "log-size" }, entry.characters > 0 ? brief(entry.characters) : ""),
  );
  const details = el("details", {}, summary);
  // Made when it is looked at: most never are.
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(el("pre", {}, JSON.stringify(entry.detail, null, 2)));
  });
  return el("li", { class: isReport(entry) ? "report" : undefined }, details);
}
