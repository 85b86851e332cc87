import type { TranscriptSettingsInput } from "@/lib/contract/transcript";

/** The form of a new transcript, as it is typed. */
export interface TranscriptDraft {
  title: string;
  source: "push" | "file";
  path: string;
  /** One a line. */
  wakePhrases: string;
  provider: string;
  model: string;
  instructions: string;
  /** Seconds. */
  silence: string;
  webhookUrl: string;
}

export const NEW_TRANSCRIPT: TranscriptDraft = {
  title: "",
  source: "push",
  path: "",
  wakePhrases: "hey toolroom\nok toolroom",
  provider: "",
  model: "",
  instructions: "",
  silence: "1.5",
  webhookUrl: "",
};

/** What each field refuses, by its name in the settings. */
export type DraftProblems = Record<string, string[]>;

/** The settings, or what is still missing for them. The server judges the rest. */
export function readDraft(draft: TranscriptDraft): { settings: TranscriptSettingsInput } | { problems: DraftProblems } {
  const problems: DraftProblems = {};
  const need = (field: string, missing: boolean, message: string): void => {
    if (missing) problems[field] = [message];
  };
  const wakePhrases = draft.wakePhrases.split("\n").map((line) => line.trim());
  const phrases = wakePhrases.filter((phrase) => phrase !== "");
  const silenceMs = Math.round(Number(draft.silence.trim().replace(",", ".")) * 1000);
  need("title", draft.title.trim() === "", "Give it a title");
  need("source.path", draft.source === "file" && draft.path.trim() === "", "Say which file is watched");
  need("wakePhrases", phrases.length === 0, "At least one is needed");
  need("provider", draft.provider.trim() === "", "Choose a model's provider");
  need("model", draft.model.trim() === "", "Choose a model");
  need("silenceMs", !(silenceMs >= 200 && silenceMs <= 60_000), "Between 0.2 and 60 seconds");
  if (Object.keys(problems).length > 0) return { problems };
  return {
    settings: {
      title: draft.title.trim(),
      source: draft.source === "push" ? { kind: "push" } : { kind: "file", path: draft.path.trim() },
      wakePhrases: phrases,
      provider: draft.provider.trim(),
      model: draft.model.trim(),
      instructions: draft.instructions,
      silenceMs,
      webhookUrl: draft.webhookUrl.trim() === "" ? null : draft.webhookUrl.trim(),
    },
  };
}

const FIELDS = ["title", "source.path", "wakePhrases", "provider", "model", "instructions", "silenceMs", "webhookUrl"];

/** The server's refusal by field; under the empty name what belongs to none. */
export function problemsByField(message: string, problems: readonly string[]): DraftProblems {
  const found: DraftProblems = {};
  for (const problem of problems.length > 0 ? problems : message.split("; ")) {
    const [, name = "", text = ""] = /^(?:settings\.)?([\w.]+): (.*)$/s.exec(problem) ?? [];
    const field = FIELDS.find((known) => name === known || name.startsWith(`${known}.`)) ?? "";
    found[field] = [...(found[field] ?? []), field === "" ? problem : text];
  }
  return found;
}
