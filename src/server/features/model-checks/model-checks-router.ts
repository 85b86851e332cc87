import { z } from "zod";
import { procedure, router } from "../../platform/api/trpc";

const id = z.string().min(1).max(100);
const provider = z.string().min(1).max(100);
const model = z.string().trim().min(1).max(200);

export const modelChecksRouter = router({
  scenarios: procedure.query(({ ctx }) => ctx.services.modelChecks.scenarios()),
  list: procedure
    .input(z.object({ provider: provider.optional(), model: model.optional(), cursor: z.number().int().nullish() }))
    .query(({ ctx, input }) => ctx.services.modelChecks.list({ ...input, cursor: input.cursor ?? undefined })),
  get: procedure.input(z.object({ id })).query(({ ctx, input }) => ctx.services.modelChecks.get(input.id)),
  start: procedure
    .input(z.object({ provider, model, rounds: z.number().int().min(1).max(20) }))
    .mutation(({ ctx, input }) => ctx.services.modelChecks.start(ctx.actor, input)),
  cancel: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.modelChecks.cancel(ctx.actor, input.id)),
});
