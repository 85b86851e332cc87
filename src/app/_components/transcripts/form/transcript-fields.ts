import { defineForm, lines, splitLines, text } from "@/app/_kit/form/fields";
import type { TranscriptSettingsInput } from "@/lib/contract/transcript";

const MIN_SILENCE_MS = 200;
const MAX_SILENCE_MS = 60_000;

const need = (message: string) => (typed: string) => (typed.trim() === "" ? [message] : []);
const toMilliseconds = (seconds: string): number => Math.round(Number(seconds.trim().replace(",", ".")) * 1000);

export const TRANSCRIPT_FORM = defineForm<TranscriptSettingsInput>()({
  title: text("Title", { required: true, placeholder: "Standup", check: need("Enter a title") }),
  wakePhrases: lines("Wake phrases", {
    required: true,
    hint: "One per line. Case, punctuation and spaces are ignored.",
    check: (typed) => (splitLines(typed).length === 0 ? ["At least one is required"] : []),
  }),
  provider: text("Provider", { required: true, mono: true, check: need("Choose a model's provider") }),
  model: text("Model name", { required: true, mono: true, check: need("Choose a model") }),
  instructions: text("Instructions", {
    rows: 3,
    write: (typed) => typed,
    hint: "Context for the model: who speaks, how to answer.",
  }),
  silenceMs: text("Silence that ends a query, in seconds", {
    inputMode: "decimal",
    read: (stored) => String(Number(stored) / 1000),
    write: toMilliseconds,
    check: (typed) => {
      const silence = toMilliseconds(typed);
      return silence >= MIN_SILENCE_MS && silence <= MAX_SILENCE_MS ? [] : ["Between 0.2 and 60 seconds"];
    },
  }),
});

export const NEW_TRANSCRIPT = { wakePhrases: ["hey toolroom", "ok toolroom"], silenceMs: 1500 };
