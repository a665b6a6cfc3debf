// The document around the map: one state at a time, its texts, and the few buttons.

import type { Padding } from "../engine/engine.ts";
import type { HostContext } from "../protocol/context.ts";
import { singleShapes, type Detail, type Scene } from "../scene/scene.ts";
import type { Ask } from "./ask.ts";
import { Card, type Look } from "./card.ts";
import { Credits } from "./credits.ts";
import { button, element } from "./dom.ts";
import { formatFor, type Format } from "./format.ts";
import { icon, type Icon } from "./icons.ts";
import { Message, wordsFor } from "./message.ts";
import { Popup, type Point } from "./popup.ts";
import type { State, TileNote } from "./state.ts";
import { textsFor, type Texts } from "./texts.ts";
import { applyContext, themeOf } from "./theme.ts";

export interface ShellActions {
  zoomBy(levels: number): void;
  toggleFullscreen(): void;
  /** again fetches what could not be fetched. */
  again(): void;
  /** choose picks what a row of the card stands for. */
  choose(id: string): void;
  /** closeDetail: the person has read enough of what is picked. */
  closeDetail(): void;
  openLink(url: string): void;
  /** ask answers what says a text in the conversation; undefined where the host takes none. */
  ask(): Ask | undefined;
}

/** A frame this wide has room for the card beside what is drawn. */
const wideFramePx = 640;
const gapPx = 24;
const headroomPx = 40;
/** Half of a name under a place, more or less, and its second line. */
const labelPx = { beside: 34, below: 12 };
/** The column of buttons. */
const controlsPx = 64;

export class Shell {
  readonly map = element("div", "map");
  readonly #root: HTMLElement;
  readonly #title = element("div", "title panel");
  readonly #message: Message;
  readonly #cardSlot = element("div", "card-slot");
  readonly #popup: Popup;
  readonly #note = element("p", "hidden-note");
  readonly #live = element("p", "spoken");
  readonly #help = element("p", "spoken");
  readonly #credits: Credits;
  readonly #controls = element("div", "controls");
  #state: State = { kind: "waiting", partial: false };
  #tiles: TileNote = "none";
  #card: Card | undefined;
  #chosen: string | undefined;
  #isLabelled = false;
  #context: HostContext;

  constructor(
    root: HTMLElement,
    readonly actions: ShellActions,
    owners: string,
    context: HostContext,
  ) {
    this.#root = root;
    this.#context = context;
    this.#popup = new Popup({
      close: () => actions.closeDetail(),
      openLink: (url) => actions.openLink(url),
      ask: () => actions.ask(),
      say: (words) => this.#say(words),
    });
    this.#message = new Message(() => actions.again());
    this.#credits = new Credits(owners);
    this.map.tabIndex = 0;
    this.map.setAttribute("role", "application");
    this.#help.id = "map-help";
    this.map.setAttribute("aria-describedby", this.#help.id);
    this.#cardSlot.setAttribute("role", "region");
    root.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && this.#context.displayMode === "fullscreen") actions.toggleFullscreen();
    });
    this.#live.setAttribute("role", "status");
    this.#live.setAttribute("aria-live", "polite");
    root.replaceChildren(
      this.map,
      this.#help,
      this.#title,
      this.#cardSlot,
      this.#popup.slot,
      this.#message.element,
      this.#controls,
      this.#credits.line,
      this.#note,
      this.#live,
    );
    this.setContext(context);
  }

  get texts(): Texts {
    return textsFor(this.locale);
  }

  get format(): Format {
    return formatFor(this.locale);
  }

  /** locale is the system's where the host names none. */
  get locale(): string {
    return this.#context.locale ?? navigator.language;
  }

  setContext(context: HostContext): void {
    this.#context = context;
    applyContext(document.documentElement, context, this.locale);
    const { texts } = this;
    document.documentElement.lang = texts.language;
    document.title = texts.map;
    this.map.setAttribute("aria-label", texts.map);
    this.#help.textContent = texts.mapHelp;
    this.#cardSlot.setAttribute("aria-label", texts.list);
    this.#credits.setTexts(texts);
    this.#renderControls();
    this.show(this.#state);
  }

  setTiles(note: TileNote, shown: boolean): void {
    this.#tiles = note;
    this.#credits.setTiles(shown);
    if (this.#state.kind === "drawn") this.#renderCard(this.#state.scene, this.#state.maxErrorM);
  }

  show(state: State): void {
    this.#state = state;
    this.#root.dataset["state"] = state.kind;
    if (state.kind !== "drawn") this.#clear();
    const words = wordsFor(state, this.texts);
    this.#message.show(words, this.texts);
    this.#note.textContent = state.kind === "hidden" ? this.texts.hidden : "";
    if (state.kind === "drawn") this.prepare(state.scene, state.maxErrorM);
    this.#say(state.kind === "drawn" ? this.texts.drawn(spoken(state.scene)) : `${words?.title ?? this.#note.textContent} ${words?.text ?? ""}`);
  }

  /** #say speaks what was not said just before. */
  #say(words: string): void {
    const said = words.trim();
    if (this.#live.textContent !== said) this.#live.textContent = said;
  }

  /** prepare lays out what stands beside a scene, so that padding is known before the map is drawn. */
  prepare(scene: Scene, maxErrorM: number | undefined): void {
    this.#title.textContent = scene.title ?? "";
    this.#title.hidden = scene.title === undefined;
    this.#isLabelled = singleShapes(scene.shapes).some((shape) => shape.kind === "point" && shape.label !== undefined);
    this.#renderCard(scene, maxErrorM);
  }

  /** padding is what the boxes cover, and room for marks that stand above their place. */
  padding(): Padding {
    const card = this.#cardSlot.getBoundingClientRect();
    const top = this.#title.hidden ? headroomPx : this.#title.offsetHeight + headroomPx;
    const label = this.#isLabelled ? labelPx : { beside: 0, below: 0 };
    const isWide = this.map.clientWidth >= wideFramePx;
    const [near, far] = isWide ? [card.width + 2 * gapPx + label.beside, 0] : [gapPx, card.height];
    const bottom = Math.max(headroomPx, far + gapPx) + 8 + label.below;
    // The card stands where lines begin, the buttons where they end.
    return document.documentElement.dir === "rtl"
      ? { top, right: near, bottom, left: controlsPx }
      : { top, right: controlsPx, bottom, left: near };
  }

  /** showDetail tells about what is picked; the box stands where pointAt says. */
  showDetail(detail: Detail | undefined): void {
    if (detail === undefined) {
      this.#popup.hide();
      return;
    }
    this.#popup.show(detail, this.texts);
    const fields = (detail.fields ?? []).map(({ name, text }) => `${name}: ${text}`);
    this.#say([detail.title, detail.kind ?? "", ...detail.lines, ...fields].filter((words) => words !== "").join(". "));
  }

  /** pointAt moves the box along with the map, in CSS pixels of the map. */
  pointAt(at: Point | undefined): void {
    this.#popup.moveTo(at);
  }

  /** markChosen shows in the card what is picked. */
  markChosen(id: string | undefined): void {
    this.#chosen = id;
    this.#card?.setChosen(id);
  }

  /** wantedHeightPx is undefined where the frame is filled, whatever its height. */
  wantedHeightPx(): number | undefined {
    const heightPx = Math.ceil(this.#root.getBoundingClientRect().height);
    return this.#context.displayMode === "inline" && heightPx > 0 ? heightPx : undefined;
  }

  #clear(): void {
    this.#title.hidden = true;
    this.#cardSlot.replaceChildren();
    this.#card = undefined;
    this.#chosen = undefined;
    this.showDetail(undefined);
  }

  #renderCard(scene: Scene, maxErrorM: number | undefined): void {
    const { texts, format } = this;
    const theme = themeOf(this.#context);
    const notes: string[] = [];
    if (maxErrorM !== undefined) notes.push(texts.fitted(format.bound(maxErrorM)));
    if (this.#tiles === "blocked") notes.push(texts.noTiles);
    if (this.#card?.scene !== scene || !isSameLook(this.#card.look, { theme, texts, format })) {
      this.#replaceCard(new Card(scene, { theme, texts, format }, (id) => this.actions.choose(id)));
    }
    this.#card?.setNotes(notes);
  }

  /** replaceCard keeps what the person had unfolded, how far it was scrolled, and the keyboard where it was. */
  #replaceCard(card: Card): void {
    const before = this.#card;
    const focused = before?.focused();
    const scrolledPx = before?.scrolled() ?? 0;
    this.#card = card;
    this.#cardSlot.replaceChildren(card.element);
    if (before !== undefined) card.setOpen(before.openLists());
    card.scrollTo(scrolledPx);
    card.setChosen(this.#chosen);
    if (focused !== undefined) card.focus(focused);
  }

  #renderControls(): void {
    const { texts, actions } = this;
    const full = this.#context.displayMode === "fullscreen";
    const made = [
      control("plus", texts.zoomIn, () => actions.zoomBy(1)),
      control("minus", texts.zoomOut, () => actions.zoomBy(-1)),
    ];
    if (this.#context.availableDisplayModes.includes(full ? "inline" : "fullscreen")) {
      const label = full ? texts.leaveFullscreen : texts.fullscreen;
      made.push(control(full ? "shrink" : "expand", label, () => actions.toggleFullscreen()));
    }
    const focused = [...this.#controls.children].indexOf(document.activeElement!);
    this.#controls.replaceChildren(...made);
    made[focused]?.focus({ preventScroll: true });
  }
}

function isSameLook(a: Look, b: Look): boolean {
  return a.theme === b.theme && a.texts === b.texts && a.format === b.format;
}

function control(sign: Icon, label: string, pressed: () => void): HTMLButtonElement {
  const made = button("", "", label, pressed);
  made.replaceChildren(icon(sign));
  return made;
}

/** spoken is what a screen reader says of a scene: its first rows. */
function spoken(scene: Scene): string {
  const rows = scene.rows.slice(0, 5).map(({ title, text }) => (text === "" ? title : `${title}: ${text}`));
  const counts = (scene.lists ?? []).filter(({ counted }) => counted === true).map(({ title }) => title);
  return [scene.title ?? "", ...counts, ...rows].filter((words) => words !== "").join(". ");
}
