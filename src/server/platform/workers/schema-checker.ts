import type { RuleSettings, SchemaChecker, SchemaVerdict } from "../../../lib/contract/change-verdict";
import { equalJson } from "../../../lib/json/equal-json";
import { byName } from "../../../lib/schema/compare/compare-tool";
import { getUnknownVerdict } from "../../../lib/schema/compare/tool-verdict";
import { BoundedWorker } from "./bounded-worker";
import { createStart, WORKERS } from "./start-worker";
import type { VerdictJob } from "./verdict-worker";

/** The most time that one tool may take. */
const LIMIT_MS = 5_000;
const IDLE_MS = 60_000;

/** Checks in a thread that is ended when a tool takes too long; that tool counts as breaking, without a proof. */
export function createSchemaChecker({ home, limitMs = LIMIT_MS }: { home: string; limitMs?: number }): SchemaChecker {
  const worker = new BoundedWorker({
    start: createStart(home, WORKERS.verdict),
    limitMs,
    exitReason: "the thread that checks changes ended",
    idleMs: IDLE_MS,
  });

  async function checkOne(tool: string, was: unknown, is: unknown, rules: RuleSettings): Promise<SchemaVerdict> {
    const toText = (entry: unknown): string | null => (entry === undefined ? null : JSON.stringify(entry));
    const answer = await worker.run({ tool, before: toText(was), after: toText(is), rules } satisfies VerdictJob);
    if (answer.kind === "answer") return answer.value as SchemaVerdict;
    const reason = answer.kind === "timeout" ? `it takes longer than ${limitMs / 1000} s` : answer.message;
    return getUnknownVerdict(tool, reason, rules);
  }

  return {
    async check(before, after, rules = {}) {
      const former = byName(before);
      const present = byName(after);
      const names = [...new Set([...former.keys(), ...present.keys()])].sort();
      const changed = names.filter((tool) => !equalJson(former.get(tool), present.get(tool)));
      const verdicts: SchemaVerdict[] = [];
      for (const tool of changed) verdicts.push(await checkOne(tool, former.get(tool), present.get(tool), rules));
      return { verdicts, unchanged: names.length - changed.length };
    },
    close: () => worker.close(),
  };
}
