// Follows the gateway's own log, as far as it is about this page's calls.

import { ApiError, type Client } from "../api/client.ts";
import type { Log } from "./log.ts";

/** The server has too much to do; it will have less. */
const busy = 503;
const pauseMs = 2000;

/** followGateway goes on until the server is gone. Lines from before this page was opened are none of its business. */
export async function followGateway(client: Client, log: Log): Promise<void> {
  // After the last line that there can be, the server says at once which one is the last.
  let after = Number.MAX_SAFE_INTEGER;
  for (;;) {
    try {
      const { lines, next } = await client.log(after);
      for (const line of lines) log.line(line);
      after = next;
    } catch (error) {
      if (error instanceof ApiError && error.status === busy) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        continue;
      }
      log.note("log", (error as Error).message);
      return;
    }
  }
}
