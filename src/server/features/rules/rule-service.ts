import type { Permission, Role } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import {
  type CallRule,
  type CallRuleInput,
  type ConditionField,
  type ConditionProblem,
  callRuleInputSchema,
  type HookTest,
  type RulePreview,
  type RulePreviewInput,
  toRuleInput,
} from "../../../lib/contract/call-rule";
import { permissionForRules } from "../../../lib/contract/call-rule-access";
import { isResultEffect, MAX_RULES, type RuleEffectKind } from "../../../lib/contract/call-rule-words";
import type { ExecutionFilter } from "../../../lib/contract/execution";
import type { Problem } from "../../../lib/contract/problem";
import { problemsOfIssues } from "../../../lib/contract/problem";
import type { CaughtCall, RuleProposals, RuleProposalsInput, RuleResults } from "../../../lib/contract/rule-insight";
import type { LimitUsage } from "../../../lib/contract/rule-limit";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { equalJson } from "../../../lib/json/equal-json";
import type { StoredFilter } from "../../calls/executions/execution-store";
import { type CompiledRules, compileRules } from "../../engine/rules/decide-call";
import type { HookRule, HookSender } from "../../engine/rules/hooks/hook-ports";
import type { LimitRule } from "../../engine/rules/limits/limit-slot";
import type { ConditionLanguage, ResultRedactor } from "../../engine/rules/rule-ports";
import { AT_START, type Change, type ChangeOrigin, createEdits } from "../../platform/shared/announced-edits";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { chooseTools, describeFields, listKnownFields } from "./condition-fields";
import { listEffectProblems } from "./effect-problems";
import type { HookSecrets } from "./hook-secrets";
import type { LimitCounts } from "./limit-counts";
import { createModelBudget } from "./model-budget";
import { findCatchingRules, proposeConditions } from "./propose-conditions";
import type { CallReader, FindHidden } from "./recorded-calls";
import type { CheckArguments } from "./route-preview";
import { previewRules } from "./rule-preview";
import { readResults } from "./rule-results";
import type { RuleStore, StoredRule } from "./rule-store";

export interface RuleServicePorts {
  store: RuleStore;
  limits: LimitCounts;
  language: ConditionLanguage;
  redactor: ResultRedactor;
  /** The tools of the catalog. */
  definitions: () => readonly ToolDefinition[];
  /** The role of a user now; null where it is not known. */
  readRole: (userId: string) => Role | null;
  newId: () => string;
  now: () => number;
  /** Absent where hooks are not asked: a call that one matches is then denied. */
  hooks?: RuleHooks | undefined;
  /** Checks arguments for previews of routes; absent: it is unknown whether a tool accepts them. */
  checkArguments?: CheckArguments | undefined;
  /** Called after the usage of a limit was reset. */
  onUsage: () => void;
  /** The filter as the execution log reads it: tags as tools, a change as its calls. */
  toStoredFilter?: (filter: ExecutionFilter) => Promise<StoredFilter>;
  /** Called after rules changed. */
  onChange: (origin: ChangeOrigin) => void;
}

export type RuleService = ReturnType<typeof createRuleService>;

interface RuleHooks {
  secrets: HookSecrets;
  sender: HookSender;
}

export type RuleChange =
  | { created: CallRuleInput; position?: number | undefined }
  | { id: string; input: CallRuleInput }
  | { id: string; position: number }
  | { id: string; deleted: true };

const NO_HOOKS = "Hooks are not asked here";
const READS_RESULT = "reads result, which is not known before the call runs: choose redact or block, or read args";
/** Tools, and calls of each, whose values the builder offers. */
const MAX_READ_TOOLS = 10;
const MAX_READ_CALLS = 200;
const WEEK_MS = 7 * 86_400_000;

/** Rules for calls, which are in memory in their order. */
export function createRuleService(ports: RuleServicePorts) {
  const { store, limits, language, now } = ports;
  const { edit, follow } = createEdits(ports.onChange);
  let rules: readonly StoredRule[] = [];
  const unevaluable = new Map<string, number>();
  const compile = (of: readonly StoredRule[]): CompiledRules =>
    compileRules(of, { language, onUnevaluable: (id) => unevaluable.set(id, (unevaluable.get(id) ?? 0) + 1) });
  let compiled = compile(rules);
  const modelBudget = createModelBudget({ list: () => rules, counts: limits, readRole: ports.readRole, now });

  async function load(change: Change): Promise<void> {
    const stored = await store.list();
    await ports.hooks?.secrets.load(stored);
    if (equalJson(rules, stored)) return;
    rules = stored;
    compiled = compile(rules);
    change.mark();
  }

  function find(id: string): StoredRule {
    const rule = rules.find((each) => each.id === id);
    if (rule === undefined) throw new AppError("NOT_FOUND", `Rule '${id}' not found`);
    return rule;
  }

  /** @param effect of the rule; absent: it may read results */
  function check(condition: string, effect?: RuleEffectKind): ConditionProblem[] {
    const result = condition === "" ? null : language.compile(condition);
    if (result === null) return [];
    if ("problems" in result) return result.problems;
    const isEarly = effect !== undefined && !isResultEffect(effect) && result.condition.readsResult;
    return isEarly ? [{ message: READS_RESULT, from: 0, to: condition.length }] : [];
  }

  function listProblems(rule: CallRuleInput): Problem[] {
    const { condition, effect } = rule;
    const problems = check(condition, effect.kind).map(({ message }) => ({ path: "condition", message }));
    const priced = effect.kind === "price" ? language.compilePrice(effect.price) : null;
    const wrong = priced !== null && "problems" in priced ? priced.problems : [];
    return [
      ...problems,
      ...wrong.map(({ message }) => ({ path: "effect.price", message })),
      ...listEffectProblems(rule, ports.redactor),
    ];
  }

  /** An unchecked rule, of a file. */
  function read(candidate: unknown): { rule: CallRuleInput } | { problems: Problem[] } {
    const parsed = callRuleInputSchema.safeParse(candidate);
    if (!parsed.success) return { problems: problemsOfIssues(parsed.error.issues) };
    const problems = listProblems(parsed.data);
    return problems.length > 0 ? { problems } : { rule: parsed.data };
  }

  function assertValid(rule: CallRuleInput): void {
    const problems = listProblems(rule);
    if (problems.length > 0) throw invalidInput("The rule is invalid: ", problems);
  }

  /** A tool that is removed afterwards makes the route refuse its calls. */
  function assertTarget({ effect }: CallRuleInput, before?: StoredRule): void {
    if (effect.kind !== "route" || (before?.effect.kind === "route" && before.effect.tool === effect.tool)) return;
    if (ports.definitions().some(({ name }) => name === effect.tool)) return;
    const message =
      "is no tool of the catalog: name one as the Tools page lists it. Versions of tools cannot be routed to";
    throw invalidInput("The rule is invalid: ", [{ path: "effect.tool", message }]);
  }

  function findHook(id: string): HookRule & { rule: StoredRule } {
    const rule = find(id);
    const { effect } = rule;
    if (effect.kind === "hook") return { id, effect, rule };
    throw invalidInput("", [{ path: "id", message: "must be a rule that calls a hook" }]);
  }

  const toRules = async (chosen: readonly StoredRule[]): Promise<CallRule[]> => {
    const matched = await store.countMatches(now() - WEEK_MS);
    return chosen.map((rule) => ({
      ...rule,
      matched: matched.get(rule.id) ?? 0,
      unevaluable: unevaluable.get(rule.id) ?? 0,
    }));
  };
  const get = async (id: string): Promise<CallRule> => (await toRules([find(id)]))[0] as CallRule;

  return {
    async load(): Promise<void> {
      await load(AT_START);
      await limits.load();
    },
    /** Loads what another instance of the server changed and announces. */
    follow: (): Promise<void> => follow(load),
    /** The compiled rules, for the executor. */
    compiled: (): CompiledRules => compiled,
    has: (name: string): boolean => rules.some((rule) => rule.name === name),
    check,

    list: (): Promise<CallRule[]> => toRules(rules),
    get,
    /** Finds a rule without its figures. */
    find,
    read,
    /** The rules in list order, without their figures. */
    all: (): readonly StoredRule[] => rules,
    /** Names that differ only in case count as equal. */
    findNamed: (name: string): StoredRule | null =>
      rules.find((rule) => rule.name.toLowerCase() === name.toLowerCase()) ?? null,

    /** Runs a write to the database while no other work changes rules, then follows the database. */
    applyStored: <T>(write: () => Promise<T>): Promise<T> =>
      edit(async (change) => {
        const result = await write();
        await load(change);
        return result;
      }),

    /** @param position from 1; absent: the last one */
    create: (by: Actor, input: CallRuleInput, position?: number): Promise<CallRule> =>
      edit(async (change) => {
        assertValid(input);
        assertTarget(input);
        if (rules.length >= MAX_RULES) {
          throw new AppError("CONFLICT", `There are ${MAX_RULES} rules, the most: delete one first`);
        }
        const id = ports.newId();
        await store.create({ id, input, at: now(), by: by.name, position });
        await load(change);
        return await get(id);
      }),

    /** @param revision the revision that the user saw; absent: overwrites any */
    update: (by: Actor, id: string, input: CallRuleInput, revision?: number): Promise<CallRule> =>
      edit(async (change) => {
        const before = find(id);
        assertValid(input);
        assertTarget(input, before);
        await store.update(id, { input, at: now(), by: by.name }, { revision });
        await load(change);
        return await get(id);
      }),

    delete: (_by: Actor, id: string, revision?: number): Promise<void> =>
      edit(async (change) => {
        find(id);
        await store.delete(id, { revision });
        await load(change);
      }),

    /** Moves a rule to a position from 1; one beyond the last becomes the last. */
    move: (_by: Actor, id: string, position: number): Promise<CallRule> =>
      edit(async (change) => {
        find(id);
        await store.move(id, position);
        await load(change);
        return await get(id);
      }),

    /** The counter of limits, for the executor. */
    limitCounter: limits.counter,
    /** The budget of models, for runs. */
    modelBudget,
    /** Finds the usage of one count of a limit. */
    findUsage: limits.find,

    /** Replaces the secret that signs a hook's requests. The former one is useless at once. */
    replaceSecret: (_by: Actor, id: string): Promise<{ secret: string }> =>
      edit(async (change) => {
        findHook(id);
        const secret = await ports.hooks?.secrets.replace(id);
        if (secret === undefined) throw new AppError("CONFLICT", NO_HOOKS);
        change.mark();
        return { secret };
      }),

    /** Sends a call to a hook that was not made, with no arguments. */
    async testHook(by: Actor, id: string): Promise<HookTest> {
      const { rule, effect } = findHook(id);
      if (ports.hooks === undefined) throw new AppError("CONFLICT", NO_HOOKS);
      const { name, version, scope } = rule;
      return await ports.hooks.sender.ask(
        { id, effect },
        {
          execution: null,
          tool: { name: scope.tools[0] ?? "example", server: null },
          caller: { id: by.id, name: by.name, role: ports.readRole(by.id), source: "api", client: null },
          rule: { name, version },
          argumentsText: effect.arguments === "none" ? null : "{}",
        },
      );
    },

    /** The current usage of limits, the fullest first. @param id absent: of all rules */
    usage: (id?: string): Promise<LimitUsage[]> => limits.listUsage(toLimits(id === undefined ? rules : [find(id)])),

    /** Resets what is used of a limit. @param key of `usage`; absent: all that the rule counts */
    async resetUsage(_by: Actor, id: string, key?: string): Promise<void> {
      if (toLimits([find(id)]).length === 0)
        throw invalidInput("", [{ path: "id", message: "must be a rule that limits" }]);
      await limits.reset(id, key);
      ports.onUsage();
    },

    /** The permission for a change, beside the one to edit. */
    permissionFor: (change: RuleChange): Permission => permissionForRules(rules, applyChange(rules, change)),

    /** The state for the audit log. */
    async toState(id: string): Promise<unknown> {
      const rule = rules.find((each) => each.id === id);
      return rule === undefined ? null : { ...toRuleInput(rule), position: rule.position };
    },

    /** @param reader who reads; absent: every call may be read */
    async preview(input: RulePreviewInput, signal?: AbortSignal, reader: CallReader = {}): Promise<RulePreview> {
      if (input.id !== undefined) find(input.id);
      assertValid(input.rule);
      assertTarget(input.rule, input.id === undefined ? undefined : find(input.id));
      const filter = (await ports.toStoredFilter?.(input.filter)) ?? input.filter;
      return await previewRules(rules, { ...input, filter }, ports, { reader, signal });
    },

    propose: (input: RuleProposalsInput, signal?: AbortSignal, reader: CallReader = {}): Promise<RuleProposals> =>
      proposeConditions(input, { ports, reader, signal }),

    caught: (execution: string, signal?: AbortSignal, reader: CallReader = {}): Promise<CaughtCall> =>
      findCatchingRules(execution, rules, { ports, reader, signal }),

    async results(id: string, days: number, signal?: AbortSignal, reader: CallReader = {}): Promise<RuleResults> {
      return await readResults(find(id), days, { store, now: now(), reader, signal });
    },

    /** Notes that an editor reviewed what the rule recorded. */
    markReviewed: (_by: Actor, id: string): Promise<void> =>
      edit(async (change) => {
        find(id);
        await store.markReviewed(id, now());
        await load(change);
      }),

    /** What a condition may read of the arguments of these tools, which are names or patterns. */
    async fields(tools: readonly string[], findHidden?: FindHidden): Promise<ConditionField[]> {
      const chosen = chooseTools(ports.definitions(), tools);
      const read = chosen.slice(0, MAX_READ_TOOLS).map(({ name }) => store.listArguments(name, MAX_READ_CALLS));
      const calls = (await Promise.all(read)).flat();
      const hidden = await findHidden?.(calls.map(({ id }) => id));
      const shown = calls.filter(({ id }) => hidden?.has(id) !== true);
      return describeFields(
        listKnownFields(chosen),
        shown.map(({ text }) => text),
      );
    },
  };
}

const toLimits = (rules: readonly StoredRule[]): LimitRule[] =>
  rules.flatMap(({ id, name, state, effect }) =>
    effect.kind === "limit" && state !== "off" ? { id, name, effect } : [],
  );

const NEW = {
  id: "",
  position: 0,
  version: 0,
  createdAt: 0,
  updatedAt: 0,
  updatedBy: "",
  reviewedAt: null,
  lastEdit: { revision: 0, by: null, at: 0 },
};

/** The rules after a change. */
function applyChange(rules: readonly StoredRule[], change: RuleChange): readonly StoredRule[] {
  if ("created" in change) {
    return rules.toSpliced((change.position ?? rules.length + 1) - 1, 0, { ...NEW, ...change.created });
  }
  const others = rules.filter(({ id }) => id !== change.id);
  const changed = rules.filter(({ id }) => id === change.id);
  if ("deleted" in change) return others;
  if ("input" in change) return rules.map((each) => (each.id === change.id ? { ...each, ...change.input } : each));
  others.splice(change.position - 1, 0, ...changed);
  return others;
}
