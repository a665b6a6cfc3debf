// Every tool, called through the gateway, in the hosts' own code, under the policies that hosts draw under.

import { describe, test, type ExpectStatic } from "vitest";
import { calls, type Call } from "./calls.ts";
import { Hosted, type HostedOptions } from "./hosted.ts";


async function drawn(expect: ExpectStatic, { name, tool, input, source = "inline", says }: Call, options: HostedOptions, shot: string): Promise<void> {
  const view = await Hosted.open(tool, options);
  try {
    await view.run(tool, input);
    expect(await view.reported()).toMatchObject([{ tool, outcome: "drawn", source }]);
    await view.toState("drawn");
    await view.settled();
    const picture = await view.shot(shot);
    // A blank or flat frame has a handful of colours; a map with its shapes has hundreds, for their smooth edges.
    expect(picture.colours(), name).toBeGreaterThan(150);
    expect(await view.visibleText()).toMatch(says);
    expect(await view.asked()).toSatisfy((paths: string[]) => paths.some((path) => path.startsWith("/tile/")));
    expect(view.violations).toEqual([]);
    // This renderer tells its context before it is connected, and throws over that by itself.
    expect(view.errors.filter((error) => !error.includes("setHostContext"))).toEqual([]);
  } finally {
    await view.close();
  }
}

const looks = [
  ["light", "declared"],
  ["dark", "noblob"],
] as const;

describe.each(looks)("in the %s theme, under the %s policy", (theme, profile) => {
  test.concurrent.for(calls)("$name", async (call, { expect }) => {
    await drawn(expect, call, { profile, height: 420, context: { theme } }, `tool-${call.name}-${theme}`);
  });
});

describe("under a policy without workers, with pictures of declared https origins only", () => {
  test.concurrent.for(calls)("$name", async (call, { expect }) => {
    await drawn(expect, call, { profile: "inspector", width: 560 }, `tool-${call.name}-inspector`);
  });
});

describe("in @mcp-ui/client, which speaks 1.x", () => {
  const names = ["routing", "fuzzy-search", "traffic", "data-viz-heatmap"];
  test.concurrent.for(calls.filter(({ name }) => names.includes(name)))("$name", async (call, { expect }) => {
    await drawn(expect, call, { host: "mcpui", profile: "noblob" }, `tool-${call.name}-mcpui`);
  });
});
