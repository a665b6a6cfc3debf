// Who is owed thanks: a line in the corner of the map, and behind it a sheet with the licences of what is built in.

import { thirdParty } from "virtual:licences";
import { button, element } from "./dom.ts";
import { icon } from "./icons.ts";
import type { Texts } from "./texts.ts";

export const outlinesOwner = "Natural Earth";

export class Credits {
  readonly line = element("div", "credits");
  readonly #owners = element("span", "attribution");
  readonly #opener = button("about", "", "", () => this.#open());
  readonly #sheet: HTMLDialogElement = element("dialog", "sheet");
  #texts: Texts | undefined;
  #tilesOwner = "";

  /** owners are those of the tiles, as the operator names them. */
  constructor(readonly owners: string) {
    this.#opener.replaceChildren(icon("info"));
    this.#opener.setAttribute("aria-haspopup", "dialog");
    this.#sheet.addEventListener("click", ({ target }) => {
      if (target === this.#sheet) this.#sheet.close();
    });
    this.line.append(this.#owners, this.#opener, this.#sheet);
  }

  setTexts(texts: Texts): void {
    this.#texts = texts;
    this.#opener.setAttribute("aria-label", texts.about);
    this.#opener.title = texts.about;
    if (this.#sheet.open) this.#fill(texts);
  }

  /** setTiles names whose map is on the screen. */
  setTiles(shown: boolean): void {
    this.#tilesOwner = shown ? this.owners : "";
    this.#owners.textContent = this.#tilesOwner === "" ? outlinesOwner : this.#tilesOwner;
  }

  #open(): void {
    if (this.#texts !== undefined) this.#fill(this.#texts);
    this.#sheet.showModal();
  }

  #fill(texts: Texts): void {
    const owners = this.#tilesOwner === "" ? [] : [element("p", "", texts.tilesBy(this.#tilesOwner))];
    const licences = element("pre", "licences", thirdParty);
    licences.tabIndex = 0;
    licences.lang = "en";
    licences.dir = "ltr";
    this.#sheet.setAttribute("aria-label", texts.about);
    this.#sheet.replaceChildren(
      element("h2", "name", texts.about),
      button("close", "×", texts.close, () => this.#sheet.close()),
      ...owners,
      element("p", "", texts.outlinesBy(outlinesOwner)),
      element("h3", "name", texts.software),
      licences,
    );
  }
}
