// Follows the gateway's own log, as far as it is about this page's calls.

import { ApiError, type Client } from "../api/client.ts";
import type { Log } from "./log.ts";

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
      if (error instanceof ApiError) log.note("log", error.message);
      return;
    }
  }
}
