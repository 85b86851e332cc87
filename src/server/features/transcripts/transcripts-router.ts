import { tracked } from "@trpc/server";
import { z } from "zod";
import { transcriptSegmentInputSchema, transcriptSettingsSchema } from "../../../lib/contract/transcript";
import { procedure, router } from "../../platform/api/trpc";
import { whileReading } from "../../platform/api/while-reading";

const id = z.string().regex(/^transcript_[\w-]{8,64}$/, "must be a transcript's id such as transcript_7hJ2…");

export const transcriptsRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.transcripts.list()),
  get: procedure.input(z.object({ id })).query(({ ctx, input }) => ctx.services.transcripts.get(input.id)),
  create: procedure
    .input(z.object({ settings: transcriptSettingsSchema.strict() }))
    .mutation(({ ctx, input }) => ctx.services.transcripts.create(ctx.actor, input.settings)),
  append: procedure
    .input(z.object({ id, segments: z.array(transcriptSegmentInputSchema).min(1).max(1000) }))
    .mutation(({ ctx, input }) => ctx.services.transcripts.append(ctx.actor, input.id, input.segments)),
  close: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.transcripts.close(ctx.actor, input.id)),
  delete: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.transcripts.delete(ctx.actor, input.id)),
  answers: procedure.input(z.object({ id, lastEventId: z.string().max(100).nullish() })).subscription(async function* ({
    ctx,
    input,
    signal,
  }) {
    const answers = whileReading(ctx, signal, (ended) =>
      ctx.services.transcripts.answers(input.id, input.lastEventId ?? null, ended),
    );
    for await (const { id: answerId, query } of answers) yield tracked(answerId, query);
  }),
});
