import { describe, expect, test } from "vitest";
import { textsFor, type Texts } from "./texts.ts";
import { directionOf } from "./theme.ts";

/** leaves answers each text with its path; functions are called with words that can be found again. */
function leaves(value: object, path = ""): [string, string][] {
  return Object.entries(value).flatMap(([name, member]): [string, string][] => {
    const here = `${path}${name}`;
    if (typeof member === "function") {
      const written = [2, 1].map((count) => String(member(...Array.from({ length: member.length || 2 }, (_, i) => (i === 0 ? count : `<${i}>`)))));
      return written.map((text, i) => [`${here}(${i})`, text]);
    }
    return typeof member === "object" && member !== null ? leaves(member, `${here}.`) : [[here, String(member)]];
  });
}

const english = new Map(leaves(textsFor("en")));

describe.each(["de", "nl", "ja"])("the texts in %s", (language) => {
  const texts: Texts = textsFor(`${language}-XX`);
  const own = leaves(texts);

  test("are there, and none is left in English", () => {
    expect(texts.language).toBe(language);
    expect(own.map(([path]) => path.replace(/\(.*/, ""))).toEqual(expect.arrayContaining([...english.keys()].map((path) => path.replace(/\(.*/, ""))));
    for (const [path, text] of own) expect(text, path).not.toMatch(/^\s*$/);
    // Words that two languages share are few.
    const same = own.filter(([path, text]) => english.get(path) === text && /[a-z]{4}/i.test(text)).map(([path]) => path);
    expect(same.length, same.join(", ")).toBeLessThan(language === "ja" ? 2 : 16);
  });

  test("say what they are given", () => {
    for (const [path, text] of leaves(textsFor("en")).filter(([name]) => name.endsWith("(0)"))) {
      const translated = new Map(own).get(path) ?? "";
      for (const word of text.match(/<\d>/g) ?? []) expect(translated, path).toContain(word);
    }
  });
});

test.each([
  ["en", "ltr"],
  ["ar-EG", "rtl"],
  ["he", "rtl"],
  ["fa_IR", "rtl"],
  ["az-Arab", "rtl"],
  ["ku-Latn-TR", "ltr"],
  ["ja-JP", "ltr"],
  ["", "ltr"],
])("%s runs %s", (locale, want) => {
  expect(directionOf(locale)).toBe(want);
});
