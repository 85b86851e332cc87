import { z } from "zod";
import { actorSchema } from "./actor-schema";
import { type ExecutionFilter, executionFilterSchema } from "./execution";
import { VIEW_RANGES, type ViewRange } from "./view-query";

const MAX_QUERY_CHARS = 4_000;

export const savedViewInputSchema = z.strictObject({
  name: z.string().trim().min(1, "must not be empty").max(80),
  query: z
    .string()
    .max(MAX_QUERY_CHARS)
    .describe("The filters as in the address of Executions: `status=failed&tool=echo,deploy&range=7d`"),
});
export type SavedViewInput = z.infer<typeof savedViewInputSchema>;

/** Filters of Executions under a name, for everyone. */
export const savedViewSchema = savedViewInputSchema.extend({
  id: z.string(),
  owner: actorSchema.describe("Who saved it: they and admins may change and delete it"),
  createdAt: z.number(),
  updatedAt: z.number(),
  updatedBy: z.string(),
});
export type SavedView = z.infer<typeof savedViewSchema>;

const LISTS = ["tool", "kind", "status", "source", "errorKind", "tag", "duration", "size"] as const;
const TEXTS = ["q", "actor", "client", "definition", "toolset", "rule", "server"] as const;

interface ViewFilter {
  filter: ExecutionFilter;
  /** Counts from the moment at which the view is opened. */
  range: ViewRange | null;
}

/** Reads the filter of a view's query; null where one of its values is unknown. */
export function readViewQuery(query: string): ViewFilter | null {
  const params = new URLSearchParams(query);
  const wanted: Record<string, unknown> = {};
  for (const name of LISTS) {
    const text = params.get(name);
    // A comma inside of a value is written as nuqs does.
    if (text) wanted[name] = text.split(",").map((value) => value.replaceAll("%2C", ","));
  }
  for (const name of TEXTS) {
    const text = params.get(name)?.trim();
    if (text) wanted[name] = text;
  }
  const run = params.get("run");
  if (run) wanted.runId = run;
  const minCost = params.get("minCost");
  if (minCost) wanted.minCost = Number(minCost);
  if (params.get("pinned") === "true") wanted.pinned = true;
  if (params.get("lensFailed") === "true") wanted.lensFailed = true;
  const range = params.get("range");
  if (range === "custom") {
    for (const name of ["since", "until"]) if (params.has(name)) wanted[name] = Number(params.get(name));
  }
  const chosen = VIEW_RANGES.find((each) => each === range) ?? null;
  const parsed = executionFilterSchema.safeParse(wanted);
  const isKnown = range === null || range === "custom" || chosen !== null;
  return parsed.success && isKnown ? { filter: parsed.data, range: chosen } : null;
}
