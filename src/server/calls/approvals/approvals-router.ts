import { z } from "zod";
import { approvalDecisionSchema } from "../../../lib/contract/approval";
import { rowNumber } from "../../../lib/contract/row-number";
import { executionIdSchema } from "../../platform/api/route-inputs";
import { procedure, router } from "../../platform/api/trpc";

const executionId = executionIdSchema;

const MAX_BULK = 200;

export const approvalsRouter = router({
  list: procedure
    .input(
      z.object({
        status: z.enum(["open", "decided"]),
        cursor: rowNumber.nullish(),
        limit: z.number().int().min(1).max(200).default(50),
      }),
    )
    .query(({ ctx, input }) => ctx.services.approvals.list(input.status, input.cursor ?? undefined, input.limit)),
  get: procedure
    .input(z.object({ executionId }))
    .query(({ ctx, input }) => ctx.services.approvals.get(input.executionId)),
  linkUses: procedure.query(({ ctx }) => ctx.services.approvals.linkUses(ctx.actor)),
  dismissLinkUses: procedure.mutation(({ ctx }) => ctx.services.approvals.dismissLinkUses(ctx.actor)),
  count: procedure.query(({ ctx }) => ctx.services.approvals.count()),
  decide: procedure
    .input(z.object({ executionId, decision: approvalDecisionSchema }))
    .mutation(({ ctx, input }) => ctx.services.approvals.decide(ctx.actor, input.executionId, input.decision)),
  decideMany: procedure
    .input(
      z.object({
        executionIds: z.array(executionId).min(1).max(MAX_BULK),
        decision: approvalDecisionSchema.pick({ approved: true, reason: true }),
      }),
    )
    .mutation(({ ctx, input }) => ctx.services.approvals.decideMany(ctx.actor, input.executionIds, input.decision)),
  allowInRun: procedure
    .input(z.object({ executionId }))
    .mutation(({ ctx, input }) => ctx.services.approvals.allowInRun(ctx.actor, input.executionId)),
  allowances: procedure
    .input(z.object({ runId: z.string().max(100) }))
    .query(({ ctx, input }) => ctx.services.approvals.allowances(input.runId)),
  revokeAllowance: procedure
    .input(z.object({ executionId }))
    .mutation(({ ctx, input }) => ctx.services.approvals.revokeAllowance(ctx.actor, input.executionId)),
});
