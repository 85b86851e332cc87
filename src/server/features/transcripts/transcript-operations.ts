import { z } from "zod";
import { transcriptSegmentSchema, transcriptSettingsSchema } from "../../../lib/contract/transcript";
import { act, operations } from "../../platform/api/operation";

const id = z.string().regex(/^transcript_[\w-]{8,64}$/, "must be a transcript's id such as transcript_7hJ2…");
const settings = transcriptSettingsSchema.strict();

export const transcriptOperations = operations("transcripts", {
  create: act({
    rest: "POST /transcripts",
    summary: "Create a transcript: each query in what is sent to it is answered by a run",
    allow: "run",
    input: z.object({ settings }),
    body: "settings",
    output: z.object({ id: z.string() }),
    status: 201,
    audit: {
      target: (input, made) => ({ kind: "transcript", name: made?.id ?? input.settings.title }),
      after: (_, input) => input.settings,
    },
    run: ({ services, actor }, input) => services.transcripts.create(actor, input.settings),
  }),
  append: act({
    rest: "POST /transcripts/{id}/segments",
    summary: "Send the next segments of a transcript, and get the ids of the runs that answer the queries in them",
    allow: "run",
    input: z.object({ id, segments: z.array(transcriptSegmentSchema).min(1).max(1000) }),
    output: z.object({ runs: z.array(z.string()) }),
    audit: {
      unrecorded: "The runs hold what was asked",
      target: (input) => ({ kind: "transcript", name: input.id }),
    },
    run: ({ services, actor }, input) => services.transcripts.append(actor, input.id, input.segments),
  }),
});
