import { z } from "zod";
import { interactionAnswerSchema } from "../../../lib/contract";
import { procedure, router } from "../trpc";

export const interactionsRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.interactions.list()),
  answer: procedure
    .input(z.object({ id: z.string().max(100), answer: interactionAnswerSchema }))
    .mutation(({ ctx, input }) => ctx.services.interactions.answer(input.id, input.answer)),
});
