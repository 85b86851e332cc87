import { z } from "zod";
import { modelProviderInputSchema } from "../../../lib/contract/model";
import { revision } from "../../platform/api/revision-input";
import { procedure, router } from "../../platform/api/trpc";

const name = z.string().min(1).max(100);

export const modelsRouter = router({
  providers: procedure.query(({ ctx }) => ctx.services.models.providers()),
  choices: procedure.query(({ ctx }) => ctx.services.models.choices()),
  available: procedure
    .input(z.object({ provider: name }))
    .query(({ ctx, input }) => ctx.services.models.available(ctx.actor, input.provider)),
  createProvider: procedure
    .input(z.object({ provider: modelProviderInputSchema }))
    .mutation(({ ctx, input }) => ctx.services.models.createProvider(ctx.actor, input.provider)),
  updateProvider: procedure
    .input(z.object({ name, provider: modelProviderInputSchema, revision }))
    .mutation(({ ctx, input }) =>
      ctx.services.models.updateProvider(ctx.actor, input.name, input.provider, input.revision),
    ),
  deleteProvider: procedure
    .input(z.object({ name, revision }))
    .mutation(({ ctx, input }) => ctx.services.models.deleteProvider(ctx.actor, input.name, input.revision)),
  testProvider: procedure
    .input(z.object({ name }))
    .mutation(({ ctx, input }) => ctx.services.models.testProvider(ctx.actor, input.name)),
});
