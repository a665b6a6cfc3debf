// Lengths, times and numbers as the person's region writes them.

export interface Format {
  distance(lengthM: number): string;
  /** bound writes a length that nothing goes past: rounded up, never down. */
  bound(lengthM: number): string;
  duration(seconds: number): string;
  number(value: number): string;
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

export function formatFor(localeName: string | undefined): Format {
  const locale = usable(localeName);
  const inMiles = locale.region !== undefined && mileRegions.has(locale.region);
  const tag = locale.toString();
  const unit = (value: number, name: string, digits: number, roundingMode: "halfExpand" | "ceil" = "halfExpand"): string =>
    new Intl.NumberFormat(tag, {
      style: "unit",
      unit: name,
      unitDisplay: "short",
      maximumFractionDigits: digits,
      roundingMode,
    }).format(value);
  const [large, largeM, small, smallM] = inMiles
    ? (["mile", metresPerMile, "foot", metresPerFoot] as const)
    : (["kilometer", 1000, "meter", 1] as const);
  const scaled = (lengthM: number, roundingMode: "halfExpand" | "ceil"): string => {
    const value = lengthM / largeM;
    if (value >= 1) return unit(value, large, value < 100 ? 1 : 0, roundingMode);
    return unit(lengthM / smallM, small, lengthM / smallM < 10 ? 1 : 0, roundingMode);
  };
  return {
    distance: (lengthM) => scaled(lengthM, "halfExpand"),
    bound: (lengthM) => scaled(lengthM, "ceil"),
    duration(seconds) {
      const minutes = Math.round(seconds / 60);
      if (minutes < 1) return unit(Math.round(seconds), "second", 0);
      if (minutes < 60) return unit(minutes, "minute", 0);
      const rest = minutes % 60;
      const hours = unit((minutes - rest) / 60, "hour", 0);
      return rest === 0 ? hours : `${hours} ${unit(rest, "minute", 0)}`;
    },
    number: (value) => new Intl.NumberFormat(tag, { maximumFractionDigits: 1 }).format(value),
    percent: (value) => new Intl.NumberFormat(tag, { style: "percent", maximumFractionDigits: 0 }).format(value / 100),
  };
}
