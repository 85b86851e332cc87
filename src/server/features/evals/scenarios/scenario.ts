import type { JsonSchema } from "../../../../lib/contract/json";
import type { RunEvent } from "../../../../lib/contract/run";
import type { ProvidedTool } from "../../../engine/agent/run-starter";

/** The run of an attempt. */
export interface TriedRun {
  events: readonly RunEvent[];
  /** The model's last words. */
  text: string;
}

/** One attempt: what is asked, with which tools, and when it passes. */
export interface PreparedAttempt {
  text: string;
  tools: ProvidedTool[];
  /** Null when it passed, else what was missing, as a sentence. Depends on nothing but the run. */
  judge: (run: TriedRun) => string | null;
}

export interface CheckScenario {
  id: string;
  title: string;
  /** The task and what counts as success. */
  description: string;
  /** Values differ by round, and are the same for the same round. */
  prepare(round: number): PreparedAttempt;
}

/** A tool of the check: not in the catalog, read-only, without approval. */
export function checkTool(
  tool: { name: `check_${string}`; description: string; properties: JsonSchema; required: string[] },
  run: (args: Record<string, unknown>) => string,
): ProvidedTool {
  const { name, description, properties, required } = tool;
  return {
    definition: {
      name,
      description,
      type: "function",
      handler: "model_check",
      parameters: { type: "object", properties, required, additionalProperties: false },
      implementation: { type: "function" },
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      approval: "never",
    },
    run: async (args) => run(args),
  };
}

/** Six letters and digits that look random. */
export function codeFor(round: number, what: string): string {
  let hash = 2_166_136_261;
  for (const char of `${what} ${round}`) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return (hash % 36 ** 6).toString(36).padStart(6, "0");
}

/** A whole number from `least`, `count` of them, different from round to round. */
export function numberFor(round: number, what: string, least: number, count: number): number {
  return least + (Number.parseInt(codeFor(round, what), 36) % count);
}
