import { byName, type MethodRules } from "../../platform/shared/method-rules";
import type { TranscriptService } from "./transcript-service";

const target = byName("transcript");

export const TRANSCRIPT_RULES: MethodRules<TranscriptService> = {
  create: {
    permission: "run",
    target: ([{ title }], made) => target([made?.id ?? title]),
    after: ([settings]) => settings,
  },
  append: { permission: "run", unrecorded: "The runs hold what was asked", target },
};
