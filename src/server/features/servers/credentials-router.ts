import { z } from "zod";
import { credentialValuesSchema } from "../../../lib/contract/credential";
import { procedure, router } from "../../platform/api/trpc";

const ofServer = procedure.input(z.object({ name: z.string().min(1).max(200) }));

export const credentialsRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.credentials.list(ctx.actor)),
  own: ofServer.query(({ ctx, input }) => ctx.services.credentials.own(ctx.actor, input.name)),
  holders: ofServer.query(({ ctx, input }) => ctx.services.credentials.holders(ctx.actor, input.name)),
  save: ofServer
    .input(z.object({ values: credentialValuesSchema }))
    .mutation(({ ctx, input }) => ctx.services.credentials.save(ctx.actor, input.name, input.values)),
  test: ofServer.mutation(({ ctx, input }) => ctx.services.credentials.test(ctx.actor, input.name)),
  remove: ofServer.mutation(({ ctx, input }) => ctx.services.credentials.remove(ctx.actor, input.name)),
});
