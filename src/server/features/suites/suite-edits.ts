import type { Actor } from "../../../lib/contract/actor";
import type { JsonSchema } from "../../../lib/contract/json";
import type { Problem } from "../../../lib/contract/problem";
import type { Suite, SuiteInput, SuiteSchedule, SuiteSummary } from "../../../lib/contract/suite";
import { isTimeZone } from "../../../lib/format/time-zone";
import { findNextTime, parseCron } from "../../../lib/schedule/cron";
import { AppError, findAppError, invalidInput } from "../../platform/shared/app-error";
import type { SuiteSecrets } from "./suite-secrets";
import type { SealedSuite, StoredSuite, SuiteStore, SuiteTiming } from "./suite-store";

export interface SuitePorts {
  store: SuiteStore;
  /** How many evals each suite has, by its name. */
  countEvals: () => Promise<ReadonlyMap<string, number>>;
  now: () => number;
  /** The problem of a JSON Schema; null for a usable one. */
  checkJsonSchema: (schema: JsonSchema) => string | null;
  /** Seals arguments; absent: they are stored as entered. */
  secrets?: SuiteSecrets | undefined;
  /** Called when a suite has a new or changed schedule. */
  onScheduled: (suite: StoredSuite) => Promise<void>;
  onChange: () => void;
}

const MAX_SUITES = 200;
const SHOWN_TOOLS = 10;
const MAX_EDITS = 5;

/** The next time of a schedule after `from`; null for one that never comes. */
export function findNextRun(schedule: SuiteSchedule, from: number): number | null {
  if ("everyMs" in schedule) return from + schedule.everyMs;
  const cron = parseCron(schedule.cron);
  return "problem" in cron ? null : findNextTime(cron, schedule.timeZone, from);
}

/** Suites as they are stored: lists, edits, schedules. */
export function createSuites({ store, countEvals, now, checkJsonSchema, secrets, onScheduled, onChange }: SuitePorts) {
  const hide = (input: SuiteInput, before: StoredSuite | null): SealedSuite => secrets?.hide(input, before) ?? input;

  async function find(name: string): Promise<StoredSuite> {
    const suite = await store.findSuite(name);
    if (suite === null) throw new AppError("NOT_FOUND", `There is no suite '${name}'`);
    return suite;
  }

  /** @throws AppError with every problem and its field */
  function check(input: SuiteInput): void {
    const problems = findSuiteProblems(input, checkJsonSchema);
    if (problems.length > 0) throw invalidInput("The suite is invalid: ", problems);
  }

  function toTiming(input: SuiteInput, actor: Actor): SuiteTiming {
    if (input.schedule === null) return { nextRunAt: null, scheduledBy: null };
    return { nextRunAt: findNextRun(input.schedule, now()), scheduledBy: actor };
  }

  async function announce(suite: StoredSuite): Promise<Suite> {
    if (suite.nextRunAt !== null) await onScheduled(suite);
    onChange();
    return toSuite(suite);
  }

  async function create(actor: Actor, input: SuiteInput): Promise<Suite> {
    check(input);
    if ((await store.suites()).length >= MAX_SUITES) {
      throw new AppError("CONFLICT", `There are ${MAX_SUITES} suites already: delete one`);
    }
    return announce(await store.createSuite(hide(input, null), toTiming(input, actor), actor));
  }

  async function update(actor: Actor, name: string, input: SuiteInput, revision?: number): Promise<Suite> {
    check(input);
    const before = await store.findSuite(name);
    if (before !== null && before.kind !== input.kind) {
      throw new AppError(
        "INVALID",
        `kind: '${name}' is a suite of ${before.kind}, and stays one: send "${before.kind}"`,
      );
    }
    const hidden = hide(input, before);
    return announce(await store.updateSuite(name, hidden, toTiming(input, actor), { by: actor, revision }));
  }

  return {
    find,
    check,
    get: async (name: string): Promise<Suite> => toSuite(await find(name)),

    async list(): Promise<SuiteSummary[]> {
      const [all, runs, evals] = await Promise.all([store.suites(), store.newestRuns(), countEvals()]);
      return all.map(({ id, kind, name, description, tests, schedule, nextRunAt, runWith, updatedAt }) => ({
        kind,
        name,
        description,
        schedule,
        nextRunAt,
        runWith,
        updatedAt,
        testCount: tests.length,
        evalCount: evals.get(name) ?? 0,
        tools: [...new Set(tests.map(({ tool }) => tool))].slice(0, SHOWN_TOOLS),
        lastRun: runs.get(id) ?? null,
      }));
    },
    create,
    update,
    /** The suite with the values that its calls need. */
    reveal: (suite: StoredSuite): SuiteInput => secrets?.reveal(suite) ?? suite,

    /** Hides secrets that earlier versions stored in plain text. */
    async hideStored(): Promise<void> {
      for (const suite of await store.suites()) {
        const { nextRunAt, scheduledBy, lastEdit } = suite;
        const hidden = hide(toSuiteInput(suite), suite);
        if (JSON.stringify(hidden.tests) === JSON.stringify(toSuiteInput(suite).tests)) continue;
        const by = lastEdit?.by == null ? undefined : { name: lastEdit.by };
        // An edit in between has already hidden it.
        await store
          .updateSuite(suite.name, hidden, { nextRunAt, scheduledBy }, { by, revision: lastEdit?.revision })
          .catch((error: unknown) => {
            if (findAppError(error)?.code !== "CONFLICT") throw error;
          });
      }
    },

    async delete(name: string, revision?: number): Promise<void> {
      await store.deleteSuite(name, revision);
      onChange();
    },

    /** Finds the suite that an eval is added to; creates it where no suite has the name. */
    async ensureEvalSuite(actor: Actor, name: string): Promise<void> {
      const suite = await store.findSuite(name);
      if (suite?.kind === "tests") throw refuseKind("suite", suite);
      if (suite !== null) return;
      await create(actor, { ...EMPTY, kind: "evals", name, tests: [] }).catch(async (error: unknown) => {
        // Another request created it at the same time.
        if ((await store.findSuite(name))?.kind !== "evals") throw error;
      });
    },

    /** Adds a test to a suite; creates the suite where no suite has the name. Edits of other users stay. */
    async addTest(actor: Actor, name: string, test: SuiteInput["tests"][number]): Promise<Suite> {
      for (let attempt = 1; ; attempt += 1) {
        const suite = await store.findSuite(name);
        if (suite === null) return create(actor, { ...EMPTY, name, tests: [test] });
        if (suite.kind === "evals") throw refuseKind("suite", suite);
        const input = toSuiteInput(suite);
        const tests = [...input.tests, { ...test, name: findFreeName(test.name, input.tests) }];
        try {
          return await update(actor, name, { ...input, tests }, suite.lastEdit?.revision);
        } catch (error) {
          if (findAppError(error)?.code !== "CONFLICT" || attempt >= MAX_EDITS) throw error;
        }
      }
    },

    /** Creates those that are new, and replaces those that differ. @returns the names of both, and of the others */
    async import(actor: Actor, inputs: readonly SuiteInput[]) {
      for (const input of inputs) check(input);
      const other = inputs.find(({ kind }) => kind === "evals");
      if (other !== undefined)
        throw new AppError("INVALID", `kind: '${other.name}' has evals, which files do not hold`);
      const outcome = { created: [] as string[], replaced: [] as string[], same: [] as string[] };
      for (const input of inputs) {
        const before = await store.findSuite(input.name);
        if (before === null) {
          await create(actor, input);
          outcome.created.push(input.name);
        } else if (JSON.stringify(toSuiteInput(before)) === JSON.stringify(toSuiteInput(hide(input, before)))) {
          outcome.same.push(input.name);
        } else {
          await update(actor, input.name, input);
          outcome.replaced.push(input.name);
        }
      }
      return outcome;
    },

    /** The editable part of suites, by name. @throws AppError for a name that is unknown */
    async export(names: readonly string[] | undefined): Promise<FileSuite[]> {
      if (names === undefined) {
        return (await store.suites()).filter(({ kind }) => kind === "tests").map(toFileSuite);
      }
      const found = await Promise.all([...new Set(names)].sort().map(find));
      const other = found.find(({ kind }) => kind === "evals");
      if (other !== undefined)
        throw new AppError("INVALID", `name: '${other.name}' has evals, which files do not hold`);
      return found.map(toFileSuite);
    },
  };
}

const EMPTY = {
  kind: "tests",
  runWith: null,
  description: "",
  schedule: null,
  approvals: "refuse",
  concurrency: 4,
} as const satisfies Partial<SuiteInput>;

/** For a suite that an act of the other kind names. @param field of the request */
export function refuseKind(field: string, { name, kind }: Pick<SuiteInput, "name" | "kind">): AppError {
  return new AppError("INVALID", `${field}: '${name}' is a suite of ${kind}: choose another suite`);
}

/** Names that are parts of addresses. */
const RESERVED: ReadonlySet<string> = new Set(["export", "import"]);

/** A report could not distinguish two tests of one name. */
function findFreeName(name: string, tests: SuiteInput["tests"]): string {
  const taken = new Set(tests.map((test) => test.name));
  if (!taken.has(name)) return name;
  for (let number = 2; ; number += 1) {
    const next = `${name.slice(0, 190)} (${number})`;
    if (!taken.has(next)) return next;
  }
}

function findSuiteProblems(
  { kind, name, tests, schedule, runWith }: SuiteInput,
  checkJsonSchema: SuitePorts["checkJsonSchema"],
): Problem[] {
  const problems: Problem[] = RESERVED.has(name) ? [{ path: "name", message: "is reserved: choose another" }] : [];
  if (kind === "evals" && tests.length > 0) {
    problems.push({ path: "tests", message: "must be empty in a suite of evals: add evals to it" });
  }
  if (kind === "evals" && schedule !== null && runWith === null) {
    problems.push({ path: "runWith", message: "is required with a schedule: choose the model" });
  }
  if (kind === "tests" && runWith !== null) {
    problems.push({ path: "runWith", message: "is for suites of evals: tests use no model" });
  }
  const seen = new Set<string>();
  for (const [at, test] of tests.entries()) {
    const path = `tests[${at}]`;
    if (seen.has(test.name)) problems.push({ path: `${path}.name`, message: `"${test.name}" is another test's name` });
    seen.add(test.name);
    for (const [position, assertion] of test.assertions.entries()) {
      const field = `${path}.assertions[${position}]`;
      if (assertion.kind === "schema") {
        const fault = checkJsonSchema(assertion.schema);
        if (fault !== null) problems.push({ path: `${field}.schema`, message: `is not usable: ${fault}` });
      }
      const needsValue = assertion.kind === "path" && (assertion.is === "equals" || assertion.is === "contains");
      if (needsValue && assertion.value === undefined) {
        problems.push({ path: `${field}.value`, message: `is required for "${assertion.is}"` });
      }
    }
  }
  return schedule === null ? problems : [...problems, ...findScheduleProblems(schedule)];
}

function findScheduleProblems(schedule: SuiteSchedule): Problem[] {
  if (!("cron" in schedule)) return [];
  if (!isTimeZone(schedule.timeZone)) {
    return [{ path: "schedule.timeZone", message: "must be a time zone such as Europe/Berlin" }];
  }
  const cron = parseCron(schedule.cron);
  if ("problem" in cron) return [{ path: "schedule.cron", message: cron.problem }];
  if (findNextTime(cron, schedule.timeZone, Date.now()) !== null) return [];
  return [{ path: "schedule.cron", message: "never comes: no month has such a day" }];
}

/** The part of a suite that users edit. */
export function toSuiteInput(suite: SuiteInput): SuiteInput {
  return { kind: suite.kind, ...toFileSuite(suite), runWith: suite.runWith };
}

type FileSuite = Omit<SuiteInput, "kind" | "runWith">;

/** Keys in the order of the file's format, so that equal suites give equal bytes. */
function toFileSuite({ name, description, tests, schedule, approvals, concurrency }: SuiteInput): FileSuite {
  return {
    name,
    description,
    approvals,
    concurrency,
    schedule,
    tests: tests.map(({ name: test, tool, arguments: args, assertions, timeoutMs }) => ({
      name: test,
      tool,
      arguments: args,
      assertions,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    })),
  };
}

const toSuite = ({ id: _id, sealed: _sealed, ...suite }: StoredSuite): Suite => suite;
