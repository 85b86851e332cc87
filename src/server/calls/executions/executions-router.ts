import { z } from "zod";
import { executionCursorSchema, executionFilterSchema, executionOrderSchema } from "../../../lib/contract/execution";
import { deletionChoiceSchema } from "../../../lib/contract/execution-deletion";
import { executionIdSchema, timeZoneSchema as timeZone } from "../../platform/api/route-inputs";
import { procedure, router } from "../../platform/api/trpc";

const id = executionIdSchema;
const tool = z.string().min(1).max(200);
const timeoutMs = z.number().positive().max(86_400_000);
const waitMs = z.number().min(0).max(60_000);

export const executionsRouter = router({
  list: procedure
    .input(
      z.object({
        filter: executionFilterSchema.default({}),
        order: executionOrderSchema.optional(),
        cursor: executionCursorSchema.nullish(),
        limit: z.number().int().min(1).max(200).default(50),
      }),
    )
    .query(({ ctx, input }) =>
      ctx.services.executions.list(input.filter, input.cursor ?? undefined, input.limit, input.order),
    ),
  count: procedure
    .input(z.object({ filter: executionFilterSchema.default({}) }))
    .query(({ ctx, input }) => ctx.services.executions.count(input.filter)),
  get: procedure.input(z.object({ id })).query(({ ctx, input }) => ctx.services.executions.get(input.id)),
  run: procedure
    .input(
      z.object({
        tool,
        argumentsText: z.string().max(4_000_000),
        executionId: id.optional(),
        timeoutMs: timeoutMs.optional(),
        skipValidation: z.boolean().optional(),
        parentId: id.optional(),
        waitMs: waitMs.optional(),
      }),
    )
    .mutation(({ ctx, input }) => ctx.services.executions.run(ctx.actor, input, ctx.source)),
  replay: procedure
    .input(z.object({ id, waitMs: waitMs.optional() }))
    .mutation(({ ctx, input }) => ctx.services.executions.replay(ctx.actor, input.id, { waitMs: input.waitMs })),
  cancel: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.executions.cancel(ctx.actor, input.id)),
  deletionPreview: procedure
    .input(deletionChoiceSchema)
    .query(({ ctx, input }) => ctx.services.executions.deletionPreview(ctx.actor, input)),
  delete: procedure
    .input(deletionChoiceSchema)
    .mutation(({ ctx, input }) => ctx.services.executions.delete(ctx.actor, input)),
  setPinned: procedure
    .input(z.object({ id, pinned: z.boolean() }))
    .mutation(({ ctx, input }) => ctx.services.executions.setPinned(ctx.actor, input.id, input.pinned)),
  toolStats: procedure
    .input(z.object({ name: tool }))
    .query(({ ctx, input }) => ctx.services.executions.toolStats(input.name)),
  toolStatistics: procedure
    .input(
      z.object({
        name: tool,
        days: z.number().int().min(1).max(90).nullable().default(7),
        zone: timeZone.default("UTC"),
      }),
    )
    .query(({ ctx, input: { name, ...period } }) => ctx.services.executions.toolStatistics(name, period)),
  toolFailures: procedure
    .input(z.object({ name: tool, since: z.number().int().min(0) }))
    .query(({ ctx, input }) => ctx.services.executions.toolFailures(input.name, input.since)),
  toolFigures: procedure
    .input(z.object({ days: z.number().int().min(1).max(90) }))
    .query(({ ctx, input }) => ctx.services.executions.toolFigures(input.days)),
  serverFigures: procedure
    .input(z.object({ days: z.number().int().min(1).max(90) }))
    .query(({ ctx, input }) => ctx.services.executions.serverFigures(input.days)),
  definitionUse: procedure
    .input(z.object({ tools: z.array(tool).min(1).max(20) }))
    .query(({ ctx, input }) => ctx.services.executions.definitionUse(input.tools)),
  overview: procedure
    .input(
      z
        .object({ days: z.number().int().min(1).max(90).default(7), zone: timeZone.default("UTC") })
        .default({ days: 7, zone: "UTC" }),
    )
    .query(({ ctx, input }) => ctx.services.executions.overview(input.days, input.zone)),
  facetCounts: procedure
    .input(z.object({ filter: executionFilterSchema.default({}) }))
    .query(({ ctx, input }) => ctx.services.executions.facetCounts(input.filter)),
  timeline: procedure
    .input(z.object({ filter: executionFilterSchema.default({}), zone: timeZone.default("UTC") }))
    .query(({ ctx, input }) => ctx.services.executions.timeline(input.filter, input.zone)),
  facets: procedure.query(({ ctx }) => ctx.services.executions.facets()),
});
