import { z } from "zod";
import { rowNumber } from "../../../lib/contract/row-number";
import {
  appContextSchema,
  type RunEventPart,
  runFilterSchema,
  runSettingsSchema,
  toolSelectionSchema,
} from "../../../lib/contract/run";
import { procedure, router } from "../../platform/api/trpc";

const id = z.string().regex(/^run_[A-Za-z0-9_-]{8,40}$/, "must be a run's id such as run_7hJ2…");
const index = rowNumber;
const text = z.string().trim().min(1, "must not be empty").max(1_000_000);

export const runsRouter = router({
  list: procedure
    .input(
      z.object({
        filter: runFilterSchema.default({}),
        cursor: rowNumber.nullish(),
        limit: z.number().int().min(1).max(200).default(50),
      }),
    )
    .query(({ ctx, input }) => ctx.services.runs.list(input.filter, input.cursor ?? undefined, input.limit)),
  get: procedure.input(z.object({ id })).query(({ ctx, input }) => ctx.services.runs.get(input.id)),
  events: procedure
    .input(z.object({ id, before: index }))
    .query(({ ctx, input }) => ctx.services.runs.events(input.id, input.before)),
  payload: procedure
    .input(z.object({ id, index, part: z.custom<RunEventPart>((part) => typeof part === "string"), offset: index }))
    .query(({ ctx, input }) => ctx.services.runs.payload(input.id, input.index, input.part, input.offset)),
  messages: procedure
    .input(z.object({ id, step: rowNumber.min(1), offset: index }))
    .query(({ ctx, input }) => ctx.services.runs.messages(input.id, input.step, input.offset)),
  examples: procedure
    .input(z.object({ tools: toolSelectionSchema }))
    .query(({ ctx, input }) => ctx.services.runs.examples(input.tools)),
  start: procedure
    .input(z.object({ settings: runSettingsSchema, text }))
    .mutation(({ ctx, input }) => ctx.services.runs.start(ctx.actor, input)),
  send: procedure
    .input(z.object({ id, text, appContext: appContextSchema.optional(), settings: runSettingsSchema.optional() }))
    .mutation(({ ctx, input }) =>
      ctx.services.runs.send(ctx.actor, input.id, input.text, input.settings, input.appContext),
    ),
  stop: procedure.input(z.object({ id })).mutation(({ ctx, input }) => ctx.services.runs.stop(ctx.actor, input.id)),
  resume: procedure.input(z.object({ id })).mutation(({ ctx, input }) => ctx.services.runs.resume(ctx.actor, input.id)),
  rerun: procedure
    .input(
      z.object({
        id,
        fromStep: rowNumber.min(1),
        results: z.enum(["live", "recorded"]),
        settings: runSettingsSchema.optional(),
        text: text.optional(),
      }),
    )
    .mutation(({ ctx, input }) => ctx.services.runs.rerun(ctx.actor, input)),
});
