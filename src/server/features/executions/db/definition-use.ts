import type { DefinitionUse } from "../../../../lib/contract/tool-version";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";

const MAX_CALLS = 10_000;
const BUDGET_MS = 300;
const SLICE = 1_000;

/** Counts the newest calls of some tools by definition. The index of tools is enough: one row is read per counted call. */
export function prepareDefinitionUse(raw: RawDatabase): (tools: readonly string[]) => Promise<DefinitionUse> {
  const select = raw
    .prepare<[string, number, number], { seq: number; definitionHash: string | null }>(
      `SELECT seq, "definitionHash" FROM "Execution" WHERE "toolName" = ? AND seq < ? AND +source <> 'check'
       ORDER BY seq DESC LIMIT ?`,
    )
    .safeIntegers(false);
  return async (tools) => {
    const counts = new Map<string, number>();
    const until = performance.now() + BUDGET_MS;
    let left = MAX_CALLS;
    let complete = true;
    for (const tool of tools) {
      for (let below = Number.MAX_SAFE_INTEGER; ; ) {
        const size = Math.min(SLICE, left);
        const rows = size > 0 && performance.now() < until ? select.all(tool, below, size) : null;
        if (rows === null) complete = false;
        for (const { definitionHash } of rows ?? []) {
          if (definitionHash !== null) counts.set(definitionHash, (counts.get(definitionHash) ?? 0) + 1);
        }
        left -= rows?.length ?? 0;
        const last = rows?.at(-1);
        if (last === undefined || (rows?.length ?? 0) < size) break;
        below = last.seq;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    return { counts: Object.fromEntries(counts), complete };
  };
}
