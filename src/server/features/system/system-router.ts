import { z } from "zod";
import { damagedKindSchema } from "../../../lib/contract/catalog-tool";
import { procedure, router } from "../../platform/api/trpc";

const name = z.string().min(1).max(300);

export const systemRouter = router({
  deleteDamaged: procedure
    .input(z.object({ kind: damagedKindSchema, name: z.string().max(300) }))
    .mutation(({ ctx, input }) => ctx.services.system.deleteDamaged(ctx.actor, input)),
  resume: procedure.mutation(({ ctx }) => ctx.services.system.resume(ctx.actor)),
  info: procedure.query(({ ctx }) => ctx.services.system.info()),
});

export const storageRouter = router({
  get: procedure.query(({ ctx }) => ctx.services.storage.get(ctx.actor)),
  backUp: procedure.mutation(({ ctx }) => ctx.services.storage.backUp(ctx.actor)),
  deleteCopy: procedure
    .input(z.object({ name }))
    .mutation(({ ctx, input }) => ctx.services.storage.deleteCopy(ctx.actor, input.name)),
});
