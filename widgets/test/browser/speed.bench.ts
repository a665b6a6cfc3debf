// How long a result takes to be a drawn map, and how smoothly a long line moves. Prints a line for each.

import { expect, test } from "vitest";
import { inline, road } from "./fixtures.ts";
import { Hosted } from "./hosted.ts";
import type { Result } from "./hosts/contract.ts";

const rounds = 5;

function line(vertices: number): object {
  const coordinates = road([-9.1393, 38.7223], [21.0122, 52.2297], vertices, 0.8);
  const section = (from: number, to: number, more: object): object => ({
    startPointIndex: Math.floor(from * (vertices - 1)),
    endPointIndex: Math.floor(to * (vertices - 1)),
    ...more,
  });
  const traffic = Array.from({ length: 60 }, (_, i) => section(i / 60, (i + 0.4) / 60, { magnitudeOfDelay: ["minor", "moderate", "major"][i % 3], delayInSeconds: 120 }));
  const properties = { summary: { lengthInMeters: 3_300_000, travelTimeInSeconds: 110_000 }, sections: { traffic } };
  return { type: "FeatureCollection", features: [{ type: "Feature", geometry: { type: "LineString", coordinates }, properties }] };
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

interface Drawn {
  /** From the result's arrival in the view to the drawn map, as the view reports it. */
  readonly wallMs: number;
  /** What the view's main thread worked in that time and until the report went out. On a busy machine this is the one to read. */
  readonly cpuMs: number;
}

async function drawn(vertices: number): Promise<Drawn> {
  const view = await Hosted.open("tomtom-routing", { fresh: true });
  const cdp = await view.page.context().newCDPSession(view.frame).catch(() => view.page.context().newCDPSession(view.page));
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const worked = async (): Promise<number> => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN);
  };
  await view.input({});
  const before = await worked();
  await view.result(inline("tomtom-routing", line(vertices)) as Result);
  const [report] = await view.reported();
  const cpuMs = (await worked()) - before;
  await view.close();
  return { wallMs: Number(report!["duration_ms"]), cpuMs: Math.round(cpuMs) };
}

test.each([15_000, 61_000])("first drawing of %d vertices", async (vertices) => {
  const times: Drawn[] = [];
  for (let i = 0; i < rounds; i++) times.push(await drawn(vertices));
  const told = (values: number[]): string => `median ${median(values)} ms of ${values.join(", ")}`;
  console.log(`first drawing, ${vertices} vertices: ${told(times.map(({ wallMs }) => wallMs))}`);
  console.log(`first drawing, ${vertices} vertices, main thread: ${told(times.map(({ cpuMs }) => cpuMs))}`);
  expect(times).toHaveLength(rounds);
});

test("panning 61,000 vertices", async () => {
  const view = await Hosted.open("tomtom-routing");
  await view.input({});
  await view.result(inline("tomtom-routing", line(61_000)) as Result);
  await view.toState("drawn");
  await view.settled();
  const { mouse } = view.page;
  await view.frame.evaluate(() => {
    const stamps: number[] = [];
    const tick = (now: number): void => {
      stamps.push(now);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    Object.assign(window, { stamps });
  });
  await mouse.move(500, 330);
  await mouse.down();
  const began = await view.frame.evaluate(() => performance.now());
  for (let i = 0; i <= 120; i++) await mouse.move(500 + 90 * Math.sin(i / 8), 330 - i / 2);
  const ended = await view.frame.evaluate(() => performance.now());
  await mouse.up();
  const stamps = await view.frame.evaluate(() => (window as unknown as { stamps: number[] }).stamps);
  const during = stamps.filter((at) => at >= began && at <= ended);
  const gaps = during.slice(1).map((at, i) => at - during[i]!);
  const perSecond = (1000 * gaps.length) / (during.at(-1)! - during[0]!);
  const long = [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length * 0.95)]!;
  console.log(`panning 61000 vertices: ${perSecond.toFixed(1)} frames a second over ${gaps.length} frames, 95 % within ${long.toFixed(1)} ms`);
  await view.close();
  expect(gaps.length).toBeGreaterThan(10);
});
