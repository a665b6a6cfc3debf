// Opening hours of the next days, days of equal hours together.

import { asArray, asNumber, at } from "../json.ts";
import type { Brief } from "./brief.ts";

interface Day {
  readonly name: string;
  hours: string;
}

/** openingHours writes one line for each run of days; undefined where nothing is known. */
export function openingHours(value: unknown, { texts, format }: Brief): string | undefined {
  if (at(value, "alwaysOpenThisPeriod") === true) return texts.openAlways;
  const days = new Map<string, Day>();
  for (const range of asArray(at(value, "timeRanges"))) {
    const opens = moment(at(range, "start"));
    const closes = moment(at(range, "end"));
    if (opens === undefined || closes === undefined) continue;
    const key = `${opens.year}-${opens.month}-${opens.day}`;
    const hours = `${format.clock(opens.hour, opens.minute)} – ${format.clock(closes.hour, closes.minute)}`;
    const day = days.get(key);
    if (day === undefined) days.set(key, { name: format.weekday(opens.year, opens.month, opens.day), hours });
    else day.hours += `, ${hours}`;
  }
  const runs: { first: string; last: string; hours: string }[] = [];
  for (const { name, hours } of days.values()) {
    const run = runs.at(-1);
    if (run?.hours === hours) run.last = name;
    else runs.push({ first: name, last: name, hours });
  }
  if (runs.length === 0) return undefined;
  return runs.map(({ first, last, hours }) => `${first === last ? first : `${first} – ${last}`}: ${hours}`).join("\n");
}

function moment(value: unknown): { year: number; month: number; day: number; hour: number; minute: number } | undefined {
  const [year, month, day, hour] = ["year", "month", "day", "hour"].map((name) => asNumber(at(value, name)));
  if (year === undefined || month === undefined || day === undefined || hour === undefined) return undefined;
  return { year, month, day, hour, minute: asNumber(at(value, "minute")) ?? 0 };
}
