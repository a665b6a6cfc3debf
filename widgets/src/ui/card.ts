// The card beside the map: what was found, what there is on the way, and what the colours mean.

import type { Theme } from "../engine/palette.ts";
import type { List, Row, Scene } from "../scene/scene.ts";
import { element } from "./dom.ts";
import type { Format } from "./format.ts";
import { rowFor, type Choose } from "./rows.ts";
import type { Texts } from "./texts.ts";

/** More rows than this are counted, not listed. */
const maxRows = 100;

/** How a card is written: what else than its scene it depends on. */
export interface Look {
  readonly theme: Theme;
  readonly texts: Texts;
  readonly format: Format;
}

export class Card {
  readonly element = element("div", "card panel");
  readonly #notes = element("div", "notes");
  /** What puts the rows into a list that is folded. */
  readonly #fills = new Map<HTMLDetailsElement, () => void>();

  /** The row that is always chosen where there are others to choose. */
  readonly #onTop: string | undefined;

  constructor(
    readonly scene: Scene,
    readonly look: Look,
    readonly choose: Choose,
  ) {
    this.#onTop = scene.rows.some(({ swatch }) => swatch === "alternative") ? scene.chosen : undefined;
    const found = element("div", "found");
    if (scene.rows.length > 0) found.append(this.#rows(scene.rows));
    for (const list of scene.lists ?? []) if (list.rows.length > 0) found.append(this.#folded(list));
    if (found.childElementCount > 0) this.element.append(found);
    if (scene.legend.length > 0) {
      this.element.append(element("ul", "legend", ...scene.legend.map((row) => rowFor(row, look.theme))));
    }
    this.element.append(this.#notes);
    this.setNotes([]);
    this.setChosen(undefined);
  }

  setNotes(notes: readonly string[]): void {
    this.#notes.replaceChildren(...notes.map((note) => element("p", "note", note)));
    this.#notes.hidden = notes.length === 0;
    this.element.hidden = this.element.childElementCount === 1 && notes.length === 0;
  }

  /** setChosen marks the row of what is picked; where nothing is, the one that the scene has on top. */
  setChosen(id: string | undefined): void {
    for (const row of this.element.querySelectorAll<HTMLElement>(".row")) {
      const own = row.dataset["id"];
      row.setAttribute("aria-pressed", String(own !== undefined && (own === id || own === this.#onTop)));
      // Only inside the list: scrollIntoView would scroll the conversation that holds the frame, too.
      if (own === id && id !== undefined) reveal(row);
    }
  }

  /** openLists and setOpen carry what is unfolded over to a card that takes this one's place. */
  openLists(): string[] {
    const lists = [...this.element.querySelectorAll("details")];
    return lists.filter(({ open }) => open).map((list) => list.dataset["list"] ?? "");
  }

  setOpen(ids: readonly string[]): void {
    for (const list of this.element.querySelectorAll("details")) {
      list.open = ids.includes(list.dataset["list"] ?? "");
      if (list.open) this.#fills.get(list)?.();
    }
  }

  /** focused and focus carry the keyboard over: it is on a row, or on what folds a list. */
  focused(): string | undefined {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement) || !this.element.contains(focused)) return undefined;
    return focused.dataset["id"] ?? focused.parentElement?.dataset["list"];
  }

  focus(id: string): void {
    const all = [...this.element.querySelectorAll<HTMLElement>(".row, summary")];
    const found = all.find((one) => (one.dataset["id"] ?? one.parentElement?.dataset["list"]) === id);
    found?.focus({ preventScroll: true });
  }

  /** scrolled and scrollTo carry over how far the list is scrolled, in CSS pixels. */
  scrolled(): number {
    return this.element.querySelector(".found")?.scrollTop ?? 0;
  }

  scrollTo(px: number): void {
    const found = this.element.querySelector(".found");
    // Even to stay where it is would lay out the page.
    if (found !== null && px > 0) found.scrollTop = px;
  }

  #rows(rows: readonly Row[], total = rows.length): HTMLElement {
    const { theme, texts, format } = this.look;
    const list = element("ul", "rows", ...rows.slice(0, maxRows).map((row) => rowFor(row, theme, this.choose)));
    const more = total - Math.min(rows.length, maxRows);
    if (more > 0) list.append(element("li", "more", texts.moreRows(format.number(more))));
    return list;
  }

  #folded({ id, title, rows, total = rows.length, open, counted }: List): HTMLElement {
    const count = counted === true ? [] : [" ", element("span", "count", this.look.format.number(total))];
    const list = element("details", "list", element("summary", "", title, ...count));
    list.dataset["list"] = id;
    if (open === true) {
      list.append(this.#rows(rows, total));
      list.open = true;
      return list;
    }
    // Hundreds of rows that nobody asked for yet would cost time that the map needs first.
    const fill = (): void => {
      if (list.childElementCount === 1) list.append(this.#rows(rows, total));
    };
    this.#fills.set(list, fill);
    list.addEventListener("toggle", () => {
      if (list.open) fill();
    });
    return list;
  }
}

function reveal(row: HTMLElement): void {
  const list = row.closest<HTMLElement>(".found");
  if (list === null || row.getClientRects().length === 0) return;
  const outer = list.getBoundingClientRect();
  const inner = row.getBoundingClientRect();
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom;
}
