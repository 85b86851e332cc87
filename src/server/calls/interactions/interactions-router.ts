import { z } from "zod";
import { interactionAnswerSchema } from "../../../lib/contract/interaction";
import { procedure, router } from "../../platform/api/trpc";

export const interactionsRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.interactions.list(ctx.actor.id)),
  validate: procedure
    .input(z.object({ id: z.string().max(100), content: z.record(z.string(), z.unknown()) }))
    .mutation(({ ctx, input }) => ctx.services.interactions.validate(ctx.actor.id, input.id, input.content)),
  answer: procedure
    .input(z.object({ id: z.string().max(100), answer: interactionAnswerSchema }))
    .mutation(({ ctx, input }) => ctx.services.interactions.answer(ctx.actor, input.id, input.answer)),
});
