import { tracked } from "@trpc/server";
import { z } from "zod";
import { procedure, router } from "../trpc";

export const liveRouter = router({
  events: procedure
    .input(z.object({ lastEventId: z.string().max(100).nullish() }).optional())
    .subscription(async function* ({ ctx, input, signal }) {
      const ended = signal ? AbortSignal.any([signal, ctx.stopping]) : ctx.stopping;
      for await (const { id, event } of ctx.services.live.listen(input?.lastEventId ?? null, ended)) {
        yield tracked(id, event);
      }
    }),
});
