import { z } from "zod";
import { procedure, router } from "../../platform/api/trpc";

export const samplingRouter = router({
  /** Lists the sampling requests of a call that a setting answered. */
  list: procedure
    .input(z.object({ executionId: z.string().max(100) }))
    .query(({ ctx, input }) => ctx.services.sampling.list(input.executionId)),
});
