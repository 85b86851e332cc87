import type { MockCondition, MockDelay, MockImplementation } from "../../../lib/contract/tool-definition-schema";
import { findDifferences } from "../../../lib/testing/find-differences";
import { readPath } from "../../../lib/testing/read-path";
import { ToolFailure } from "../failures";
import type { ToolContext } from "../ports";

const ERROR = "The mock fails by its error rate";

/** The response of the first rule that the arguments match, else the mock's own. Answers at once where nothing delays it. */
export function runMock(
  mock: MockImplementation,
  args: Record<string, unknown>,
  context: Pick<ToolContext, "signal">,
): unknown {
  const { mock_response, mock_responses = [], mock_delay_ms, mock_error_rate = 0 } = mock;
  const rule = mock_responses.find(({ when }) => matches(when, args));
  const delay = rule?.delay_ms ?? mock_delay_ms;
  const answer = (): unknown => {
    if (mock_error_rate > 0 && Math.random() < mock_error_rate) throw new ToolFailure("tool_error", ERROR);
    if (rule === undefined) return mock_response;
    if (rule.error !== undefined) throw new ToolFailure("tool_error", rule.error);
    return rule.response;
  };
  return delay === undefined ? answer() : waitMs(toMs(delay), context.signal).then(answer);
}

function matches(condition: MockCondition, args: Record<string, unknown>): boolean {
  if ("equals" in condition) return findDifferences(condition.equals, args, { most: 1 }).length === 0;
  if ("subset" in condition) {
    return findDifferences(condition.subset, args, { isSubset: true, most: 1 }).length === 0;
  }
  const at = readPath(args, String(condition.path));
  return at.found && findDifferences(condition.value, at.value, { most: 1 }).length === 0;
}

function toMs(delay: MockDelay): number {
  return typeof delay === "number" ? delay : delay.min + Math.random() * (delay.max - delay.min);
}

function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    }
  });
}
