// Why there is no map, in one word that the report carries and the catalogue has a text for.

export type Reason =
  | "tool_error"
  | "cancelled"
  | "data_missing"
  | "too_large"
  | "unavailable"
  | "bad_data"
  | "fetch_failed"
  | "no_result"
  | "no_live_traffic"
  | "draw_failed";

export class Failure extends Error {
  constructor(
    readonly reason: Reason,
    /** More for the log, in no person's language; never data of the result. */
    readonly detail = "",
  ) {
    super(detail === "" ? reason : `${reason}: ${detail}`);
    this.name = "Failure";
  }
}
