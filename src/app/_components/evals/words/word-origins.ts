import { parseAsArrayOf, parseAsStringLiteral } from "nuqs/server";
import type { WordOrigin } from "@/lib/contract/word-test";

export type ReadOrigin = Exclude<WordOrigin, "file">;

export const ORIGIN_LABELS: Record<ReadOrigin, { one: string; many: string }> = {
  eval: { one: "eval", many: "Evals" },
  reason: { one: "recorded reason", many: "Recorded reasons" },
  prompt: { one: "prompt of a run", many: "Prompts of runs" },
  description: { one: "own description", many: "Own descriptions" },
};

const ORIGINS = ["eval", "reason", "prompt", "description"] as const;
const DEFAULT: ReadOrigin[] = ["eval", "reason", "prompt"];

/** The kinds of questions in the address. */
export const parseAsOrigins = parseAsArrayOf(parseAsStringLiteral(ORIGINS)).withDefault(DEFAULT);
