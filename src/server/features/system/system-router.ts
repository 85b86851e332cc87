import { z } from "zod";
import { damagedKindSchema } from "../../../lib/contract/catalog-tool";
import { procedure, router } from "../../platform/api/trpc";

export const systemRouter = router({
  deleteDamaged: procedure
    .input(z.object({ kind: damagedKindSchema, name: z.string().max(300) }))
    .mutation(({ ctx, input }) => ctx.services.system.deleteDamaged(ctx.actor, input)),
  resume: procedure.mutation(({ ctx }) => ctx.services.system.resume(ctx.actor)),
  info: procedure.query(({ ctx }) => ctx.services.system.info()),
});
