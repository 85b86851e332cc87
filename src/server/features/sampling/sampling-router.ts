import { z } from "zod";
import { procedure, router } from "../../platform/api/trpc";

export const samplingRouter = router({
  /** What a call's server asked a model, as far as a setting answered. */
  list: procedure
    .input(z.object({ executionId: z.string().max(100) }))
    .query(({ ctx, input }) => ctx.services.sampling.list(input.executionId)),
});
