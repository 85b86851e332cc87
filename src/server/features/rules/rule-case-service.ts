import type { Role } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import { type Problem, problemsOfIssues } from "../../../lib/contract/problem";
import {
  type ProposedCase,
  type RuleCase,
  type RuleCaseInput,
  type RuleTest,
  type RuleTestInput,
  ruleCaseInputSchema,
  toCaseInput,
} from "../../../lib/contract/rule-case";
import { MAX_CASE_ARGUMENT_CHARS, MAX_RULE_CASES } from "../../../lib/contract/rule-case-words";
import { equalJson } from "../../../lib/json/equal-json";
import { parseWithDigits, stringifyWithDigits } from "../../../lib/json/number-digits";
import type { Reader } from "../../calls/executions/private-calls";
import type { ExecutionReads } from "../../calls/executions/readable-executions";
import type { ConditionLanguage } from "../../engine/rules/rule-ports";
import { type CaseTool, createCaseTester } from "../../engine/rules/test-case";
import { AT_START, type Change, type ChangeOrigin, createEdits } from "../../platform/shared/announced-edits";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { leaveOutHidden } from "./case-arguments";
import { proposeCase } from "./propose-case";
import type { RuleCaseStore, StoredRuleCase } from "./rule-case-store";
import { createRuleTests } from "./rule-case-tests";
import type { RuleService } from "./rule-service";
import type { RuleStore } from "./rule-store";

export interface RuleCaseServicePorts {
  store: RuleCaseStore;
  rules: Pick<RuleService, "all" | "find" | "findNamed">;
  language: ConditionLanguage;
  /** Null for a tool that is not in the catalog. */
  findTool: (name: string) => CaseTool | null;
  /** The arguments of a tool as its calls are stored. @param text JSON */
  maskArguments: (tool: string, text: string) => string;
  executions: { readsFor: (reader: Reader) => Pick<ExecutionReads, "assertReadable" | "get"> };
  findToken: RuleStore["findToken"];
  /** The role of a user now; null where it is not known. */
  readRole: (userId: string) => Role | null;
  newId: () => string;
  now: () => number;
  /** Called after cases changed. */
  onChange: (origin: ChangeOrigin) => void;
}

export type RuleCaseService = ReturnType<typeof createRuleCaseService>;

/** Cases of rules, which are in memory by name. */
export function createRuleCaseService(ports: RuleCaseServicePorts) {
  const { store, rules, now, readRole, maskArguments } = ports;
  const { edit, follow } = createEdits(ports.onChange);
  const tests = createRuleTests(ports);
  let cases: readonly StoredRuleCase[] = [];

  async function load(change: Change): Promise<void> {
    const stored = await store.list();
    if (equalJson(cases, stored)) return;
    cases = stored;
    change.mark();
  }

  function find(id: string): StoredRuleCase {
    const found = cases.find((each) => each.id === id);
    if (found === undefined) throw new AppError("NOT_FOUND", `Case '${id}' not found`);
    return found;
  }

  const findNamed = (name: string): StoredRuleCase | null =>
    cases.find((each) => each.name.toLowerCase() === name.toLowerCase()) ?? null;

  async function toCases(chosen: readonly StoredRuleCase[], signal?: AbortSignal): Promise<RuleCase[]> {
    const results = await tests.test(rules.all(), chosen, signal);
    return chosen.flatMap((each, index): RuleCase[] => {
      const result = results[index];
      return result === undefined ? [] : [{ ...each, result }];
    });
  }
  const get = async (id: string): Promise<RuleCase> => (await toCases([find(id)]))[0] as RuleCase;

  /** Cases are stored and exported as text, so that they hold no secrets. */
  function findProblems({ call }: RuleCaseInput): Problem[] {
    const text = stringifyWithDigits(call.arguments);
    if (text.length > MAX_CASE_ARGUMENT_CHARS) {
      return [{ path: "call.arguments", message: `must have at most ${MAX_CASE_ARGUMENT_CHARS} characters as JSON` }];
    }
    const masked = parseWithDigits(maskArguments(call.tool, text));
    const { left } = leaveOutHidden(masked as RuleCaseInput["call"]["arguments"]);
    const message = "is masked or a secret, which a case cannot hold: remove it, and test what the rules do without it";
    return left.map((path) => ({ path, message }));
  }

  function check(input: RuleCaseInput): void {
    const problems = findProblems(input);
    if (problems.length > 0) throw invalidInput("The case is invalid: ", problems);
  }

  /** An unchecked case, of a file. */
  function read(candidate: unknown): { case: RuleCaseInput } | { problems: Problem[] } {
    const parsed = ruleCaseInputSchema.safeParse(candidate);
    if (!parsed.success) return { problems: problemsOfIssues(parsed.error.issues) };
    const problems = findProblems(parsed.data);
    return problems.length > 0 ? { problems } : { case: parsed.data };
  }

  /** The rule by the name that it has, so that the case follows it when it is renamed. */
  function nameRule(input: RuleCaseInput): RuleCaseInput {
    const rule = input.expect.rule === undefined ? null : rules.findNamed(input.expect.rule);
    return rule === null ? input : { ...input, expect: { ...input.expect, rule: rule.name } };
  }

  const listPassed = async (): Promise<Set<string>> => {
    const results = await tests.test(rules.all(), cases);
    return new Set(cases.flatMap(({ id }, index) => (results[index]?.status === "passed" ? [id] : [])));
  };

  return {
    load: (): Promise<void> => load(AT_START),
    /** Loads what another instance of the server changed and announces. */
    follow: (): Promise<void> => follow(load),

    /** The cases with their results under the current rules. */
    list: (signal?: AbortSignal): Promise<RuleCase[]> => toCases(cases, signal),
    get,
    /** Finds a case without its result. */
    find,
    findNamed,
    has: (name: string): boolean => cases.some((each) => each.name === name),
    /** The cases in list order, without their results. */
    all: (): readonly StoredRuleCase[] => cases,
    read,

    /** Runs a write to the database while no other work changes cases, then follows the database. */
    applyStored: <T>(write: () => Promise<T>): Promise<T> =>
      edit(async (change) => {
        const result = await write();
        await load(change);
        return result;
      }),

    create: (by: Actor, input: RuleCaseInput): Promise<RuleCase> =>
      edit(async (change) => {
        check(input);
        if (cases.length >= MAX_RULE_CASES) {
          throw new AppError("CONFLICT", `There are ${MAX_RULE_CASES} cases, the most: delete one first`);
        }
        const id = ports.newId();
        await store.create({ id, input: nameRule(input), at: now(), by: by.name });
        await load(change);
        return await get(id);
      }),

    /** @param revision the revision that the user saw; absent: overwrites any */
    update: (by: Actor, id: string, input: RuleCaseInput, revision?: number): Promise<RuleCase> =>
      edit(async (change) => {
        find(id);
        check(input);
        await store.update(id, { input: nameRule(input), at: now(), by: by.name }, { revision });
        await load(change);
        return await get(id);
      }),

    delete: (_by: Actor, id: string, revision?: number): Promise<void> =>
      edit(async (change) => {
        find(id);
        await store.delete(id, { revision });
        await load(change);
      }),

    /** The state for the audit log. */
    async toState(id: string): Promise<unknown> {
      const found = cases.find((each) => each.id === id);
      return found === undefined ? null : toCaseInput(found);
    },

    /** Tests all cases by the rules of now, or as they would be with a change. */
    async test(input: RuleTestInput, signal?: AbortSignal): Promise<RuleTest> {
      if (input.id !== undefined) rules.find(input.id);
      return await tests.testChange(rules.all(), cases, input, signal);
    },

    /** Proposes a case from a recorded call; nothing is saved. */
    async propose(reader: Reader, executionId: string): Promise<ProposedCase> {
      const reads = ports.executions.readsFor(reader);
      await reads.assertReadable(executionId);
      return proposeCase(await reads.get(executionId), {
        testCase: createCaseTester(rules.all(), ports),
        tokenId: await ports.findToken(executionId),
        readRole,
        isTaken: (name) => findNamed(name) !== null,
      });
    },

    /** Saves a rule. @returns what was saved, with the names of the cases that passed before and fail now */
    async nameBroken<Saved extends object>(
      _by: Actor,
      save: () => Promise<Saved>,
    ): Promise<Saved & { brokenCases: string[] }> {
      const passed = await listPassed();
      const saved = await save();
      // The cases of a renamed rule follow its new name.
      await edit(load);
      const still = await listPassed();
      const broken = cases.filter(({ id }) => passed.has(id) && !still.has(id));
      return { ...saved, brokenCases: broken.map(({ name }) => name) };
    },
  };
}
