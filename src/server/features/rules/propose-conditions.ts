import { UNRULED_KINDS } from "../../../lib/contract/call-rule-words";
import type { CaughtCall, RuleProposal, RuleProposals, RuleProposalsInput } from "../../../lib/contract/rule-insight";
import { listCallFields } from "../../../lib/rules/call-fields";
import { CallComparison, compareField, MAX_PROPOSALS, type ProposalGoal } from "../../../lib/rules/compare-calls";
import { writeCondition } from "../../../lib/rules/condition-text";
import { proposeRule } from "../../../lib/rules/propose-rule";
import type { StoredCallRule } from "../../engine/rules/decide-call";
import { NOT_RECORDED } from "../../engine/rules/rule-ports";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { compileEach, type EvaluationPorts, evaluateRules, toEnd } from "./evaluate-rules";
import { type CallReader, toStoredCall, walkCalls } from "./recorded-calls";
import type { RecordedCall, StoredRule } from "./rule-store";

const WEEK_MS = 7 * 86_400_000;
/** Calls that are compared argument by argument: the newest of the tool, and its newest failed ones. */
const MAX_COMPARED = 5_000;
const MAX_COMPARED_FAILED = 1_000;
const COMPARE_MS = 350;
/** Leaves time for the rest of the answer, which has a limit of three seconds. */
const EVALUATE_MS = 1_900;
/** Rules of the list that are evaluated, the first ones that match the call. */
const MAX_RULES = 10;

interface Request {
  ports: EvaluationPorts;
  reader: CallReader;
  signal?: AbortSignal | undefined;
}

/** Conditions for a rule made from a call, each with the calls of the last seven days that it would match. */
export async function proposeConditions(input: RuleProposalsInput, request: Request): Promise<RuleProposals> {
  const call = await readCall(input.execution, request);
  const { effect, field } = input;
  const caller = input.callers === "same" ? { id: call.actorId, name: call.actorName } : null;
  const first = field === undefined ? [] : [readField(call, field, effect !== "allow")];
  const compared = await compareCall(call, effect === "allow" ? "alike" : "apart", request);
  const conditions = [...new Set([...first, ...compared])].slice(0, MAX_PROPOSALS);
  const rules = (conditions.length > 0 ? conditions : [""]).map((condition) =>
    toRule(proposeRule({ toolName: call.toolName, effect, caller, condition, reason: "Proposed" })),
  );
  const { figures, ...totals } = await evaluateRules(rules, request.ports, toScope(call, request, caller?.id));
  return {
    execution: call.id,
    toolName: call.toolName,
    caller,
    ...toTimes(request),
    ...totals,
    proposals: rules.map(({ condition }, at) => toProposal(condition, figures[at])),
  };
}

/** Which rules that decide nothing now would have kept a failed call from running, and conditions that would. */
export async function findCatchingRules(id: string, all: readonly StoredRule[], request: Request): Promise<CaughtCall> {
  const call = await readCall(id, request);
  const stopping = await listStopping(all, call, request);
  const proposed = (await compareCall(call, "caught", request)).map((condition) =>
    toRule(proposeRule({ toolName: call.toolName, effect: "ask", caller: null, condition })),
  );
  const rules = [...proposed, ...stopping.map(({ rule }) => rule)];
  const { figures, ...totals } = await evaluateRules(rules, request.ports, toScope(call, request));
  return {
    execution: call.id,
    toolName: call.toolName,
    ...toTimes(request),
    ...totals,
    rules: stopping.map(({ rule, isCertain }, at) => ({
      id: rule.id,
      name: rule.name,
      state: rule.state,
      effect: rule.effect,
      isCertain,
      ...toFigures(figures[proposed.length + at]),
    })),
    proposals: proposed
      .map(({ condition }, at) => toProposal(condition, figures[at]))
      .filter(({ failed }) => failed > 0),
  };
}

/** @throws AppError NOT_FOUND, DENIED for a hidden call, CONFLICT for one that ended before rules are evaluated */
async function readCall(id: string, { ports, reader }: Request): Promise<RecordedCall> {
  const call = await ports.store.findCall(id);
  if (call === null) throw new AppError("NOT_FOUND", `Execution '${id}' not found`);
  if ((await reader.findHidden?.([id]))?.has(id)) {
    throw new AppError(
      "DENIED",
      `Execution '${id}' used another user's own credential or rights: a rule is not made from it`,
    );
  }
  if (UNRULED_KINDS.some((kind) => kind === call.errorKind)) {
    throw new AppError(
      "CONFLICT",
      `Execution '${id}' ended before rules are evaluated: they decide calls with valid arguments of known tools`,
    );
  }
  return call;
}

function readField(call: RecordedCall, field: string, isBeyond: boolean): string {
  const row = compareField(listCallFields(call.argumentsText ?? ""), field, isBeyond);
  if (row !== null) return writeCondition({ join: "and", rows: [row] });
  throw invalidInput(
    "",
    [{ path: "field", message: `'${field}' is no number in the arguments of this execution` }],
    " ",
  );
}

/** Compares the call with others of its tool. */
async function compareCall(call: RecordedCall, goal: ProposalGoal, { ports, ...request }: Request): Promise<string[]> {
  const comparison = new CallComparison(call.argumentsText ?? "");
  const seen = new Set<string>();
  const read = async (failedOnly: boolean): Promise<void> => {
    const walk = {
      ...request,
      ...toTimes({ ports }),
      filter: { tool: [call.toolName], ...(failedOnly && { status: ["failed" as const] }) },
      countMinutes: 0,
      parts: { arguments: true, results: false, costs: false },
      maxCalls: failedOnly ? MAX_COMPARED_FAILED : MAX_COMPARED,
      maxMs: COMPARE_MS,
    };
    await walkCalls(ports, walk, (other, ruled) => {
      if (other.toolName !== call.toolName || seen.has(other.id)) return;
      seen.add(other.id);
      const args = ruled.readArguments();
      comparison.add(args === NOT_RECORDED ? undefined : args, toEnd(other));
    });
  };
  await read(false);
  if (goal === "caught") await read(true);
  return comparison.propose(goal);
}

/** The rules that are off or record, and would have denied the call or asked for it. */
async function listStopping(all: readonly StoredRule[], call: RecordedCall, { ports }: Request) {
  const { definitionHash } = call;
  const tags = definitionHash === null ? undefined : (await ports.store.readTags([definitionHash])).get(definitionHash);
  const idle = all.filter(({ state, effect }) => state !== "on" && effect.kind !== "allow");
  const ruled = toStoredCall(call, {
    tags: tags ?? [],
    role: ports.readRole(call.actorId),
    count: () => null,
    isHidden: false,
  });
  const compiled = compileEach(idle, ports.language);
  return idle
    .flatMap((rule, at) => {
      const decisive = compiled[at]?.decide(ruled).decisive ?? null;
      return decisive === null ? [] : [{ rule, isCertain: decisive !== "unknown" }];
    })
    .slice(0, MAX_RULES);
}

const toTimes = ({ ports }: Pick<Request, "ports">): { since: number; until: number } => {
  const until = ports.now();
  return { since: until - WEEK_MS, until };
};

const toScope = (call: RecordedCall, { ports, reader, signal }: Request, actorId?: string) => ({
  toolName: call.toolName,
  actorId,
  ...toTimes({ ports }),
  maxMs: EVALUATE_MS,
  reader,
  signal,
});

const toRule = (input: ReturnType<typeof proposeRule>): StoredCallRule => ({ ...input, id: "proposed", version: 0 });

const NOTHING = { matched: 0, failed: 0, succeeded: 0, unknown: 0 };
const toFigures = (figures: Omit<RuleProposal, "condition"> | undefined) => figures ?? NOTHING;
const toProposal = (condition: string, figures: Omit<RuleProposal, "condition"> | undefined): RuleProposal => ({
  condition,
  ...toFigures(figures),
});
