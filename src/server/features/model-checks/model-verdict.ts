import type { ModelVerdict } from "../../../lib/contract/model";
import type { ModelCheckStore, StoredCheck } from "./model-check-store";

const VALIDATED_FROM = 0.8;

/** 80 % or more of all attempts of a check that went to its end. */
export function isValidated({ status, passed, total }: Pick<StoredCheck, "status" | "passed" | "total">): boolean {
  return status === "finished" && total > 0 && passed / total >= VALIDATED_FROM;
}

function toVerdict(check: StoredCheck): ModelVerdict {
  const { id, passed, total, finishedAt, startedAt } = check;
  return { checkId: id, validated: isValidated(check), passed, total, finishedAt: finishedAt ?? startedAt };
}

/** The newest finished check of each model, for the picker. */
export async function readVerdicts(
  store: Pick<ModelCheckStore, "newestFinished">,
): Promise<{ provider: string; model: string; verdict: ModelVerdict }[]> {
  const checks = await store.newestFinished();
  return checks.map((check) => ({ provider: check.provider, model: check.model, verdict: toVerdict(check) }));
}
