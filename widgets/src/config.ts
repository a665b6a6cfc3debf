// The operator's configuration, embedded in the document as JSON; widgets.go has its twin (settings).

export interface Config {
  /** URL template of raster tiles: {z} {x} {y}, and where wanted {key} {style} {size}. Empty: no tiles. */
  readonly tiles: string;
  /** What the owner of the tiles asks to be named as. */
  readonly attribution: string;
  /** URL template of live traffic incidents: {bbox} and {key}. Empty: live traffic is off. */
  readonly incidents: string;
}

/** readConfig reads the element's text. Text that is no configuration gives one without tiles: the map still draws. */
export function readConfig(text: string | null | undefined): Config {
  let values: unknown;
  try {
    values = JSON.parse(text ?? "");
  } catch {
    values = undefined;
  }
  const members = (typeof values === "object" && values !== null ? values : {}) as Record<string, unknown>;
  const member = (name: string): string => {
    const value = members[name];
    return typeof value === "string" ? value : "";
  };
  return { tiles: member("tiles"), attribution: member("attribution"), incidents: member("incidents") };
}
