import { z } from "zod";
import { transcriptSegmentSchema, transcriptSettingsSchema } from "../../../lib/contract/transcript";
import { procedure, router } from "../../platform/api/trpc";

const id = z.string().regex(/^transcript_[\w-]{8,64}$/, "must be a transcript's id such as transcript_7hJ2…");

export const transcriptsRouter = router({
  create: procedure
    .input(z.object({ settings: transcriptSettingsSchema.strict() }))
    .mutation(({ ctx, input }) => ctx.services.transcripts.create(ctx.actor, input.settings)),
  append: procedure
    .input(z.object({ id, segments: z.array(transcriptSegmentSchema).min(1).max(1000) }))
    .mutation(({ ctx, input }) => ctx.services.transcripts.append(ctx.actor, input.id, input.segments)),
});
