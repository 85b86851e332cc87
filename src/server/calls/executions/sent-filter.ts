import { z } from "zod";
import { type ExecutionFilter, executionFilterSchema } from "../../../lib/contract/execution";
import { type DeletionChoice, deletionChoiceSchema } from "../../../lib/contract/execution-deletion";
import { flagSchema, timeSchema, timeZoneSchema } from "../../platform/api/route-inputs";
import { invalidInput } from "../../platform/shared/app-error";

const { tool, kind, status, source, q, message, errorKind, tag, duration, size } = executionFilterSchema.shape;
const FILTER = {
  tool,
  kind,
  status,
  source,
  q,
  message,
  errorKind,
  tag,
  duration,
  size,
  minCost: z.coerce.number<number | string>().pipe(executionFilterSchema.shape.minCost.unwrap()).optional(),
  user: z.string().max(200).optional().describe("The id of the user whose calls they are"),
  server: executionFilterSchema.shape.server.describe("Calls of this server's tools, resources and prompts"),
  client: executionFilterSchema.shape.client.describe("The program of the caller, or the beginning of its name"),
  toolset: executionFilterSchema.shape.toolset,
  rule: executionFilterSchema.shape.rule,
  run: z.string().max(100).optional().describe("Calls of this run"),
  since: timeSchema.optional(),
  until: timeSchema.optional(),
};

/** The filter of executions as a REST request has it: in its query, with the name of a saved view whose filters the ones beside it replace. */
export const SENT_FILTER = {
  ...FILTER,
  view: z.string().max(100).optional().describe("The name or id of a saved view; other filters replace its own"),
  zone: timeZoneSchema.optional().describe("The time zone of the view's days; default: UTC"),
  pinned: flagSchema.optional(),
};
const sentFilterSchema = z.object(SENT_FILTER);

/** Reads the filters of saved views. */
interface Views {
  readFilter(named: string, zone: string): Promise<ExecutionFilter>;
}

export async function readFilter(
  views: Views,
  { view, zone = "UTC", ...filter }: z.output<typeof sentFilterSchema>,
): Promise<ExecutionFilter> {
  const own = Object.fromEntries(Object.entries(toFilter(filter)).filter(([, value]) => value !== undefined));
  const saved = view === undefined ? {} : await views.readFilter(view, zone);
  return { ...saved, ...(own as ReturnType<typeof toFilter>) };
}

function toFilter<Filter extends { user?: string | undefined; run?: string | undefined }>(filter: Filter) {
  const { user, run, ...rest } = filter;
  return { ...rest, actor: user, runId: run };
}

export const sentDeletionSchema = z.strictObject({
  ids: deletionChoiceSchema.shape.ids.describe("These executions"),
  filter: z.strictObject(FILTER).optional().describe("All that match, as in the list; `{}` is all of them"),
  includePinned: z.boolean().default(false).describe("Pinned ones too"),
});

/** @throws AppError INVALID for one that chooses nothing */
export function toChoice({ ids, filter, includePinned }: z.output<typeof sentDeletionSchema>): DeletionChoice {
  if ((ids === undefined) !== (filter === undefined)) {
    return { includePinned, ...(ids === undefined ? { filter: toFilter(filter ?? {}) } : { ids }) };
  }
  throw invalidInput("", [{ path: "ids", message: "or filter is required, and not both" }], " ");
}
