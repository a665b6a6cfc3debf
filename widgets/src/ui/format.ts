// Lengths, times and numbers as the person's region writes them.

export interface Format {
  distance(lengthM: number): string;
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
  const unit = (value: number, name: string, digits: number): string =>
    new Intl.NumberFormat(tag, {
      style: "unit",
      unit: name,
      unitDisplay: "short",
      maximumFractionDigits: digits,
    }).format(value);
  const scaled = (lengthM: number, large: string, largeM: number, small: string, smallM: number): string => {
    const value = lengthM / largeM;
    if (value < 1) return unit(lengthM / smallM, small, lengthM / smallM < 10 ? 1 : 0);
    return unit(value, large, value < 100 ? 1 : 0);
  };
  return {
    distance: (lengthM) =>
      inMiles
        ? scaled(lengthM, "mile", metresPerMile, "foot", metresPerFoot)
        : scaled(lengthM, "kilometer", 1000, "meter", 1),
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
