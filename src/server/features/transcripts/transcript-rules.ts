import { byName, type MethodRules } from "../../platform/shared/method-rules";
import type { TranscriptService } from "./transcript-service";

const target = byName("transcript");

export function createTranscriptRules(transcripts: TranscriptService): MethodRules<TranscriptService> {
  async function toState(id: string) {
    const { title, status, settings, segmentCount } = await transcripts.get(id);
    return { title, status, settings, segmentCount };
  }
  return {
    create: {
      permission: "run",
      target: ([{ title }], made) => target([made?.id ?? title]),
      after: (_, made) => toState(made.id),
    },
    append: { permission: "run", unrecorded: "The transcript holds it", target },
    close: { permission: "run", target, state: ([id]) => toState(id) },
    delete: { permission: "edit", target, state: ([id]) => toState(id) },
  };
}
