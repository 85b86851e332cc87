import type { ErrorKind } from "../../../lib/contract/envelope";
import type { ExecutionSummary } from "../../../lib/contract/execution";
import { getKind } from "../../../lib/contract/execution-kind";
import type { ReplayChoice, ReplayPreview, TestProblem } from "../../../lib/contract/suite";
import { MAX_REPLAYED } from "../../../lib/contract/suite-limits";
import { type CallOutcome, describeDifference } from "../../../lib/testing/check-assertions";
import { findDifferences } from "../../../lib/testing/find-differences";
import type { StoredExecution } from "../../calls/executions/execution-store";
import type { ExecutionReads } from "../../calls/executions/readable-executions";
import { invalidInput } from "../../platform/shared/app-error";
import { type CheckOutcome, type TestCall, toOutcome } from "./suite-calls";

export interface ReplayPorts {
  needsApproval: (tool: string) => boolean;
}

type ReplayReads = Pick<ExecutionReads, "list" | "count" | "getStored">;

const PAGE = 200;
/** Statuses of calls that have ended. */
const OPEN: ReadonlySet<string> = new Set(["running", "waiting"]);

interface ChosenCalls {
  calls: ExecutionSummary[];
  notReplayable: number;
}

/** The newest calls that match and can be made again, at most so many. */
async function chooseCalls({ ids, filter }: ReplayChoice, reads: ReplayReads): Promise<ChosenCalls> {
  if ((ids === undefined) === (filter === undefined)) {
    throw invalidInput("", [{ path: "ids", message: "or filter is required, and not both" }]);
  }
  const chosen: ChosenCalls = { calls: [], notReplayable: 0 };
  const take = (items: readonly ExecutionSummary[]): void => {
    for (const item of items) {
      if (chosen.calls.length >= MAX_REPLAYED) return;
      const isOpen = OPEN.has(item.status);
      if (getKind(item) !== "tool" || isOpen || item.restricted) chosen.notReplayable += 1;
      else chosen.calls.push(item);
    }
  };
  if (ids !== undefined) {
    take(await reads.getStored(ids.slice(0, MAX_REPLAYED)));
    return chosen;
  }
  let cursor: Awaited<ReturnType<typeof reads.list>>["nextCursor"] | undefined;
  do {
    const page = await reads.list(filter ?? {}, cursor ?? undefined, PAGE);
    take(page.items);
    cursor = page.nextCursor;
  } while (cursor != null && chosen.calls.length < MAX_REPLAYED && chosen.notReplayable < MAX_REPLAYED);
  return chosen;
}

/** Counts the calls of a replay before it starts. */
export async function previewReplay(
  choice: ReplayChoice,
  reads: ReplayReads,
  { needsApproval }: ReplayPorts,
): Promise<ReplayPreview> {
  const { calls, notReplayable } = await chooseCalls(choice, reads);
  const matched =
    choice.ids === undefined
      ? await reads.count(choice.filter ?? {}, { isThorough: true })
      : { count: choice.ids.length, more: false };
  const byTool = new Map<string, number>();
  for (const { toolName } of calls) byTool.set(toolName, (byTool.get(toolName) ?? 0) + 1);
  const tools = [...byTool]
    .map(([name, count]) => ({ name, calls: count }))
    .sort((one, other) => other.calls - one.calls || (one.name < other.name ? -1 : 1));
  return {
    count: calls.length,
    matches: matched.count,
    more: matched.more,
    limit: MAX_REPLAYED,
    tools,
    needsApproval: tools.filter(({ name }) => needsApproval(name)),
    notReplayable,
  };
}

/** The chosen calls, oldest first, each with its recorded outcome as the expected one. */
export async function readReplay(choice: ReplayChoice, reads: ReplayReads): Promise<TestCall[]> {
  const { calls } = await chooseCalls(choice, reads);
  const replayed: TestCall[] = [];
  const ids = calls.map(({ id }) => id).reverse();
  for (let from = 0; from < ids.length; from += PAGE) {
    for (const stored of await reads.getStored(ids.slice(from, from + PAGE))) replayed.push(toTestCall(stored));
  }
  return replayed;
}

function toTestCall(stored: StoredExecution): TestCall {
  const recorded = toOutcome(stored);
  return {
    name: stored.id,
    tool: stored.toolName,
    argumentsText: stored.argumentsText,
    originalId: stored.id,
    assertions: [],
    skipValidation: stored.validationSkipped || undefined,
    check: async (outcome) => compareOutcomes(recorded, outcome),
  };
}

/** Same, different, or failed where the recorded call succeeded. Times do not count. */
function compareOutcomes(recorded: CallOutcome, outcome: CallOutcome): CheckOutcome {
  if (recorded.succeeded && !outcome.succeeded) {
    return { status: "error", problems: [toProblem("the call fails now", "succeeded", describeError(outcome))] };
  }
  if (!recorded.succeeded) {
    const isSame = !outcome.succeeded && describeError(recorded) === describeError(outcome);
    const actual = outcome.succeeded ? "succeeded" : describeError(outcome);
    const message = outcome.succeeded ? "the call succeeds now" : "the call fails in another way";
    return isSame ? SAME : { status: "failed", problems: [toProblem(message, describeError(recorded), actual)] };
  }
  const left = readJson(recorded);
  const right = readJson(outcome);
  if (left === null || right === null) {
    // Where a result was cut, the stored beginnings are compared.
    const isSame = recorded.resultText === outcome.resultText && recorded.resultBytes === outcome.resultBytes;
    return isSame ? SAME : { status: "failed", problems: [toProblem("the result is different", null, null)] };
  }
  const problems = findDifferences(left.value, right.value).map((each) => describeDifference("recorded", each));
  return problems.length === 0 ? SAME : { status: "failed", problems };
}

const SAME: CheckOutcome = { status: "passed", problems: [] };

function describeError({ errorKind, error }: { errorKind: ErrorKind | null; error: string | null }): string {
  return `${errorKind ?? "failed"}: ${(error ?? "").slice(0, 300)}`;
}

function readJson({ resultText, resultTruncated }: CallOutcome): { value: unknown } | null {
  if (resultText === null || resultTruncated) return null;
  try {
    return { value: JSON.parse(resultText) };
  } catch {
    return null;
  }
}

function toProblem(message: string, expected: string | null, actual: string | null): TestProblem {
  return { assertion: "recorded", path: "", message, expected, actual };
}
