import { z } from "zod";
import { retentionPolicySchema } from "../../../lib/contract/retention";
import { rowNumber } from "../../../lib/contract/row-number";
import { procedure, router } from "../../platform/api/trpc";

export const retentionRouter = router({
  get: procedure.query(({ ctx }) => ctx.services.retention.get(ctx.actor)),
  preview: procedure
    .input(z.object({ policy: retentionPolicySchema }))
    .mutation(({ ctx, input }) => ctx.services.retention.preview(ctx.actor, input.policy)),
  save: procedure
    .input(z.object({ policy: retentionPolicySchema, revision: rowNumber.optional() }))
    .mutation(({ ctx, input }) => ctx.services.retention.save(ctx.actor, input.policy, input.revision)),
  sweepNow: procedure.mutation(({ ctx }) => ctx.services.retention.sweepNow(ctx.actor)),
});
