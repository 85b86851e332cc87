import type {
  ModelCheckAttempt,
  ModelCheckDetail,
  ModelCheckSummary,
  ModelScenario,
} from "../../../lib/contract/model";
import type { CheckWithAttempts, StoredCheck } from "./model-check-store";
import { isValidated } from "./model-verdict";
import { CHECK_SCENARIOS } from "./scenarios/check-scenarios";

export function toSummary(check: StoredCheck): ModelCheckSummary {
  const { id, seq, provider, model, status, rounds, startedAt, finishedAt, passed, done, total, error } = check;
  const validated = isValidated(check);
  return { id, seq, provider, model, status, rounds, startedAt, finishedAt, passed, done, total, error, validated };
}

export function toDetail(check: CheckWithAttempts): ModelCheckDetail {
  return { ...toSummary(check), scenarios: CHECK_SCENARIOS.map(toScenario), attempts: sortAttempts(check.attempts) };
}

export function toScenario({ id, title, description }: ModelScenario): ModelScenario {
  return { id, title, description };
}

/** In the order of the scenarios' list, then by round. */
function sortAttempts(attempts: readonly ModelCheckAttempt[]): ModelCheckAttempt[] {
  const positions = new Map(CHECK_SCENARIOS.map(({ id }, at) => [id, at]));
  const of = ({ scenario }: ModelCheckAttempt): number => positions.get(scenario) ?? CHECK_SCENARIOS.length;
  return [...attempts].sort((one, other) => of(one) - of(other) || one.round - other.round);
}
