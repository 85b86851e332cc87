/** Time ranges that move with the clock. */
export const VIEW_RANGES = ["today", "yesterday", "1h", "24h", "7d", "30d"] as const;
export type ViewRange = (typeof VIEW_RANGES)[number];

/** The parameters of the address of Executions that a view keeps; it does not keep a selection or an open drawer. */
const VIEW_PARAMS: readonly string[] = [
  "q",
  "tool",
  "kind",
  "status",
  "source",
  "errorKind",
  "actor",
  "range",
  "since",
  "until",
  "sort",
  "pinned",
  "tag",
  "duration",
  "size",
  "minCost",
  "client",
  "run",
  "definition",
  "toolset",
  "rule",
  "server",
  "lensFailed",
  "chart",
];

/** The part of an address that a view keeps, its parameters in one order: two addresses of one list give one text. */
export function toViewQuery(search: string): string {
  const given = new URLSearchParams(search);
  const kept = VIEW_PARAMS.flatMap((name) => {
    const value = given.get(name);
    return value === null || value === "" ? [] : [[name, value]];
  });
  return new URLSearchParams(kept).toString();
}
