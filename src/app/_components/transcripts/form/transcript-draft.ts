import type { FieldProblems } from "@/app/_kit/problems";
import type { Problem } from "@/lib/contract/problem";
import type { TranscriptSettingsInput } from "@/lib/contract/transcript";

/** The form of a new transcript, as it is typed. */
export interface TranscriptDraft {
  title: string;
  /** One a line. */
  wakePhrases: string;
  provider: string;
  model: string;
  instructions: string;
  /** Seconds. */
  silence: string;
}

export const NEW_TRANSCRIPT: TranscriptDraft = {
  title: "",
  wakePhrases: "hey toolroom\nok toolroom",
  provider: "",
  model: "",
  instructions: "",
  silence: "1.5",
};

/** By their names in the settings. */
export const TRANSCRIPT_FIELDS = ["title", "wakePhrases", "provider", "model", "instructions", "silenceMs"] as const;
export type TranscriptField = (typeof TRANSCRIPT_FIELDS)[number];
export type DraftProblems = FieldProblems<TranscriptField>;

/** The settings to send, or the problems that the form can find; the server checks the rest. */
export function readDraft(draft: TranscriptDraft): { input: TranscriptSettingsInput } | { problems: Problem[] } {
  const problems: Problem[] = [];
  const need = (path: TranscriptField, missing: boolean, message: string): void => {
    if (missing) problems.push({ path, message });
  };
  const wakePhrases = draft.wakePhrases.split("\n").map((line) => line.trim());
  const phrases = wakePhrases.filter((phrase) => phrase !== "");
  const silenceMs = Math.round(Number(draft.silence.trim().replace(",", ".")) * 1000);
  need("title", draft.title.trim() === "", "Enter a title");
  need("wakePhrases", phrases.length === 0, "At least one is required");
  need("provider", draft.provider.trim() === "", "Choose a model's provider");
  need("model", draft.model.trim() === "", "Choose a model");
  need("silenceMs", !(silenceMs >= 200 && silenceMs <= 60_000), "Between 0.2 and 60 seconds");
  if (problems.length > 0) return { problems };
  return {
    input: {
      title: draft.title.trim(),
      wakePhrases: phrases,
      provider: draft.provider.trim(),
      model: draft.model.trim(),
      instructions: draft.instructions,
      silenceMs,
    },
  };
}
