// Lengths, times and numbers as the person's region writes them.

export interface Format {
  distance(lengthM: number): string;
  /** bound writes a length that nothing goes past: rounded up, never down. */
  bound(lengthM: number): string;
  /** roundLength answers the longest length of one, two or five times a power of ten of the unit, in metres. */
  roundLength(mostM: number): number;
  duration(seconds: number): string;
  speed(kmh: number): string;
  /** area takes square metres. */
  area(squareM: number): string;
  /** clock is a time of day. */
  clock(hour: number, minute: number): string;
  /** weekday is the short name of a calendar day's. */
  weekday(year: number, month: number, day: number): string;
  /** moment is a date with its time, as the person's clock has it; undefined where the text is none. */
  moment(iso: string): string | undefined;
  number(value: number): string;
  /** exact writes a number with all that it says. */
  exact(value: number): string;
  percent(value: number): string;
}

const metresPerMile = 1609.344;
const metresPerFoot = 0.3048;
/** Regions whose roads are signed in miles. */
const mileRegions = new Set(["US", "GB", "LR", "MM"]);

function usable(locale: string | undefined): Intl.Locale {
  try {
    return new Intl.Locale(locale ?? "en");
  } catch {
    return new Intl.Locale("en");
  }
}

let last: { readonly name: string | undefined; readonly format: Format } | undefined;

/** formatFor answers the same format for the same locale as just before. */
export function formatFor(localeName: string | undefined): Format {
  if (last === undefined || last.name !== localeName) last = { name: localeName, format: made(usable(localeName)) };
  return last.format;
}

/** later makes a thing when it is first asked for: the platform's formatters take milliseconds each. */
function later<Thing>(make: () => Thing): () => Thing {
  let thing: Thing | undefined;
  return () => (thing ??= make());
}

function made(locale: Intl.Locale): Format {
  const inMiles = locale.region !== undefined && mileRegions.has(locale.region);
  const tag = locale.toString();
  // A formatter costs more to make than to use, and a scene may be thousands of rows.
  const kept = new Map<string, Intl.NumberFormat>();
  const numbers = (options: Intl.NumberFormatOptions): Intl.NumberFormat => {
    const key = JSON.stringify(options);
    let format = kept.get(key);
    if (format === undefined) kept.set(key, (format = new Intl.NumberFormat(tag, options)));
    return format;
  };
  const plain = later(() => numbers({ maximumFractionDigits: 1 }));
  const exact = later(() => numbers({ maximumFractionDigits: 12, useGrouping: "min2" }));
  const percent = later(() => numbers({ style: "percent", maximumFractionDigits: 0 }));
  const unit = (value: number, name: string, digits: number, roundingMode: "halfExpand" | "ceil" = "halfExpand"): string =>
    numbers({ style: "unit", unit: name, unitDisplay: "short", maximumFractionDigits: digits, roundingMode }).format(value);
  const [large, largeM, small, smallM] = inMiles
    ? (["mile", metresPerMile, "foot", metresPerFoot] as const)
    : (["kilometer", 1000, "meter", 1] as const);
  const scaled = (lengthM: number, roundingMode: "halfExpand" | "ceil"): string => {
    const value = lengthM / largeM;
    if (value >= 1) return unit(value, large, value < 100 ? 1 : 0, roundingMode);
    return unit(lengthM / smallM, small, lengthM / smallM < 10 ? 1 : 0, roundingMode);
  };
  const times = later(() => new Intl.DateTimeFormat(tag, { timeStyle: "short", timeZone: "UTC" }));
  const weekdays = later(() => new Intl.DateTimeFormat(tag, { weekday: "short", timeZone: "UTC" }));
  const moments = later(() => new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "short" }));
  return {
    distance: (lengthM) => scaled(lengthM, "halfExpand"),
    bound: (lengthM) => scaled(lengthM, "ceil"),
    roundLength(mostM) {
      const unitM = mostM / largeM >= 1 ? largeM : smallM;
      const power = 10 ** Math.floor(Math.log10(mostM / unitM));
      const step = [5, 2, 1].find((times) => times * power * unitM <= mostM) ?? 1;
      return step * power * unitM;
    },
    speed: (kmh) => unit(inMiles ? (kmh * 1000) / metresPerMile : kmh, inMiles ? "mile-per-hour" : "kilometer-per-hour", 0),
    area(squareM) {
      const value = squareM / largeM ** 2;
      const digits = value < 10 ? 1 : 0;
      return `${numbers({ maximumFractionDigits: digits }).format(value)} ${inMiles ? "mi²" : "km²"}`;
    },
    clock: (hour, minute) => times().format(Date.UTC(2000, 0, 1, hour, minute)),
    weekday: (year, month, day) => weekdays().format(Date.UTC(year, month - 1, day)),
    moment(iso) {
      const time = Date.parse(iso);
      return Number.isNaN(time) ? undefined : moments().format(time);
    },
    duration(seconds) {
      const minutes = Math.round(seconds / 60);
      if (minutes < 1) return unit(Math.round(seconds), "second", 0);
      if (minutes < 60) return unit(minutes, "minute", 0);
      const rest = minutes % 60;
      const hours = unit((minutes - rest) / 60, "hour", 0);
      return rest === 0 ? hours : `${hours} ${unit(rest, "minute", 0)}`;
    },
    number: (value) => plain().format(value),
    exact: (value) => exact().format(value),
    percent: (value) => percent().format(value / 100),
  };
}
