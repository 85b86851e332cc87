import { TOOL_USE_SUITE } from "../../../lib/contract/eval-limits";
import type { ModelVerdict } from "../../../lib/contract/model";
import type { EvalRunStore, StoredEvalRun } from "./eval-run-store";

const VALIDATED_FROM = 0.8;

/** 80 % or more of all attempts of the built-in suite, in a run that went to its end. */
export function isValidated({
  suite,
  status,
  passed,
  total,
}: Pick<StoredEvalRun, "suite" | "status" | "passed" | "total">): boolean {
  return suite === TOOL_USE_SUITE && status === "finished" && total > 0 && passed / total >= VALIDATED_FROM;
}

function toVerdict(run: StoredEvalRun): ModelVerdict {
  const { id, passed, total, finishedAt, startedAt } = run;
  return { evalRunId: id, validated: isValidated(run), passed, total, finishedAt: finishedAt ?? startedAt };
}

/** The newest finished run of the built-in suite with each model, for the picker. */
export async function readVerdicts(
  store: Pick<EvalRunStore, "newestFinished">,
): Promise<{ provider: string; model: string; verdict: ModelVerdict }[]> {
  const runs = await store.newestFinished(TOOL_USE_SUITE);
  return runs.map((run) => ({ provider: run.provider, model: run.model, verdict: toVerdict(run) }));
}
