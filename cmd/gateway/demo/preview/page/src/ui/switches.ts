// The toolbar above the conversation: what the host tells the widget, and what is wrong with the host.

import { faults, type Fault } from "../host/faults.ts";
import { heights, locales, widths, type Choices, type Mode, type Theme } from "../host/context.ts";
import { button, el, freshId } from "./dom.ts";
import { icon } from "./icons.ts";

export interface SwitchEvents {
  chosen(choices: Choices): void;
  faults(active: ReadonlySet<Fault>): void;
}

export class Switches {
  readonly element = el("div", { class: "toolbar", role: "toolbar", "aria-label": "Host" });
  readonly #active = new Set<Fault>();
  readonly #theme: HTMLButtonElement;
  readonly #mode: HTMLButtonElement;
  readonly #faultCount = el("span", { class: "count", hidden: true });
  #choices: Choices;

  constructor(
    theme: Theme,
    readonly events: SwitchEvents,
  ) {
    this.#choices = { theme, locale: locales[0].code, mode: "inline", widthPx: undefined, heightPx: undefined };
    this.#theme = button("", () => this.choose({ theme: this.#choices.theme === "dark" ? "light" : "dark" }), { class: "tool" });
    this.#mode = button(icon("full"), () => this.choose({ mode: "fullscreen" }), { class: "tool", "aria-label": "Full screen", title: "Full screen" });
    this.element.append(
      this.#theme,
      this.#select("Language", locales.map(({ code, name }) => [code, name]), (locale) => this.choose({ locale })),
      this.#select("Width", widths.map((px) => [String(px ?? ""), px === undefined ? "Full width" : `${px} px wide`]), (px) => this.choose({ widthPx: px === "" ? undefined : Number(px) })),
      this.#select("Height", heights.map((px) => [String(px ?? ""), px === undefined ? "Own height" : `${px} px high`]), (px) => this.choose({ heightPx: px === "" ? undefined : Number(px) })),
      this.#mode,
      this.#faults(),
    );
    this.#look();
  }

  get choices(): Choices {
    return this.#choices;
  }
  get active(): ReadonlySet<Fault> {
    return this.#active;
  }

  choose(changed: Partial<Choices>): void {
    this.#choices = { ...this.#choices, ...changed };
    this.#look();
    this.events.chosen(this.#choices);
  }

  /** allow says which display modes the widget can take. */
  allow(can: (mode: Mode) => boolean): void {
    this.#mode.disabled = !can("fullscreen");
  }

  #look(): void {
    const isDark = this.#choices.theme === "dark";
    this.#theme.replaceChildren(icon(isDark ? "moon" : "sun"), el("span", { class: "tool-name" }, isDark ? "Dark" : "Light"));
    this.#theme.setAttribute("aria-label", `Theme: ${isDark ? "dark" : "light"}`);
  }

  #select(label: string, options: readonly (readonly [string, string])[], chosen: (value: string) => void): HTMLElement {
    const select = el("select", { "aria-label": label, title: label }, ...options.map(([value, name]) => el("option", { value }, name)));
    select.addEventListener("change", () => chosen(select.value));
    return select;
  }

  #faults(): HTMLElement {
    const list = faults.map(({ name, label, says }) => {
      const box = el("input", { type: "checkbox", id: freshId(), name });
      box.addEventListener("change", () => {
        if (box.checked) this.#active.add(name);
        else this.#active.delete(name);
        this.#faultCount.textContent = String(this.#active.size);
        this.#faultCount.hidden = this.#active.size === 0;
        this.events.faults(new Set(this.#active));
      });
      return el("div", { class: "fault" }, box, el("label", { for: box.id }, label, el("span", { class: "note" }, says)));
    });
    const panel = el("div", { class: "faults", popover: "auto", id: freshId(), role: "group", "aria-label": "Faults of the host" }, ...list);
    const open = button([icon("fault"), el("span", {}, "Faults"), this.#faultCount], () => panel.togglePopover(), { class: "tool faults-open" });
    return el("div", { class: "faults-place" }, open, panel);
  }
}
