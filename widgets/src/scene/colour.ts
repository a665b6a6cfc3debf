// Colours that callers chose. What is no plain colour is dropped: the role's own is used.

const plainColour = /^(#[0-9a-f]{3,4}|#[0-9a-f]{6}|#[0-9a-f]{8}|(rgb|hsl)a?\([\d\s.,%/deg-]+\)|[a-z]{3,24})$/i;

export function asColour(value: unknown): string | undefined {
  return typeof value === "string" && plainColour.test(value.trim()) ? value.trim() : undefined;
}

type RGB = readonly [number, number, number];

function channels(colour: string): RGB | undefined {
  const digits = /^#([0-9a-f]{3,8})$/i.exec(colour)?.[1];
  if (digits === undefined) return undefined;
  const wide = digits.length < 6 ? [...digits].map((digit) => digit + digit).join("") : digits;
  return [0, 2, 4].map((start) => Number.parseInt(wide.slice(start, start + 2), 16)) as unknown as RGB;
}

/** between answers the colour at share (0 to 1) of the way; the nearer end where either is no #rrggbb. */
export function between(from: string, to: string, share: number): string {
  const a = channels(from);
  const b = channels(to);
  if (a === undefined || b === undefined) return share < 0.5 ? from : to;
  const mixed = a.map((value, i) => Math.round(value + ((b[i] ?? 0) - value) * share));
  return "#" + mixed.map((value) => value.toString(16).padStart(2, "0")).join("");
}

/** Told apart by people who see colours differently (Okabe and Ito). */
const distinct = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1", "#f0e442"];

export function categoryColour(place: number): string {
  return distinct[place % distinct.length]!;
}

/** Of density, from few to many; told apart by brightness, too. */
export const heatColours = ["#4393c3", "#92c5de", "#fddbc7", "#ef8a62", "#b2182b"] as const;
