// Numbers as a person reads them. The page is in English, as the terminal that opened it.

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export function count(n: number): string {
  return whole.format(n);
}

/** brief is for where there is room for a few characters: 120K, 1M. */
export function brief(n: number): string {
  return short.format(n);
}

export function metres(m: number): string {
  if (m >= 1000) return `${(m / 1000).toFixed(m >= 10_000 ? 0 : 1)} km`;
  if (m >= 100) return `${Math.round(m)} m`;
  return m >= 1 || m === 0 ? `${Number(m.toFixed(1))} m` : `${Number((m * 100).toPrecision(2))} cm`;
}

/** bound is for something that is said to be within: never less than it is, and short. */
export function bound(m: number): string {
  return metres(m >= 10 ? Math.ceil(m) : m);
}

export function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** nameOf makes the status of a result's map data readable. */
export function nameOf(status: string): string {
  return status === "none" ? "no map data" : status.replaceAll("_", " ");
}

/** titleOf makes a tool's name readable where it has no title. */
export function titleOf(tool: { readonly name: string; readonly title?: string }): string {
  return tool.title ?? tool.name.replace(/^tomtom-/, "").replaceAll("-", " ");
}
