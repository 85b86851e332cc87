import { hasRole, type Principal } from "../../../lib/contract/access";
import type { ApprovalItem } from "../../../lib/contract/approval";
import { RESTRICTED_ARGUMENTS } from "../../../lib/contract/execution";
import type { ModelProviderSummary } from "../../../lib/contract/model";
import type { RunSummary } from "../../../lib/contract/run";
import type { TestResult, TestRunDetail } from "../../../lib/contract/suite";
import { showOrigin } from "../../../lib/show-origin";
import type { createApprovalService } from "../../calls/approvals/approval-service";
import type { ExecutionService } from "../../calls/executions/execution-service";
import type { PrivateCalls, Reader } from "../../calls/executions/private-calls";
import type { ExecutionReads } from "../../calls/executions/readable-executions";
import type { createLensService } from "../lenses/lens-service";
import type { createModelService } from "../models/model-service";
import type { RuleService } from "../rules/rule-service";
import type { createRunService } from "../runs/run-service";
import type { SamplingService } from "../sampling/sampling-service";
import type { ReadableCalls } from "../suites/suite-evals";
import type { SuiteService } from "../suites/suite-service";

interface Services {
  executions: ExecutionService;
  runs: ReturnType<typeof createRunService>;
  approvals: ReturnType<typeof createApprovalService>;
  lenses: ReturnType<typeof createLensService>;
  rules: RuleService;
  models: ReturnType<typeof createModelService>;
  sampling: SamplingService;
  suites: SuiteService;
}

const ADMIN: Reader = { id: "", role: "admin" };
const PRIVATE_RUN = "Private run: it uses another user's credential";

/** The execution service with the reads of one reader. */
type ReaderExecutions<Executions> = Omit<Executions, "readsFor" | "readAll"> &
  Omit<ExecutionReads, "getStored" | "showDetail" | "showSummary" | "assertReadable">;
export type RestrictedServices<All extends Services> = Omit<All, "executions"> & {
  executions: ReaderExecutions<All["executions"]>;
};

/**
 * The services for each reader: calls that used a colleague's personal credential come without arguments, results and
 * logs, and the addresses of model providers as their origin. Requests of users and programs get their services here;
 * the gateway gives callers their own results only.
 */
export function createServicesByReader<All extends Services>(
  services: All,
  privateCalls: PrivateCalls,
): (reader: Principal) => RestrictedServices<All> {
  const reads = services.executions.readsFor(ADMIN);
  /** Admins share this one, since nothing is hidden from them. */
  const unrestricted = { ...services, executions: withReads<All["executions"]>(services.executions, reads) };
  return (reader) => (hasRole(reader.role, "admin") ? unrestricted : restrictServices(services, privateCalls, reader));
}

function restrictServices<All extends Services>(
  services: All,
  privateCalls: PrivateCalls,
  reader: Principal,
): RestrictedServices<All> {
  const reads = services.executions.readsFor(reader);
  const executions = createReaderExecutions<All["executions"]>(services.executions, reads);
  const isHidden = async (id: string): Promise<boolean> => (await privateCalls.hidden(reader, [id])).size > 0;
  const callReader = {
    findHidden: (ids: readonly string[]) => privateCalls.hidden(reader, ids),
    get readableBy() {
      return { id: reader.id, ...privateCalls.servers() };
    },
  };
  return {
    ...services,
    executions,
    runs: restrictRuns(services, privateCalls, reader),
    approvals: {
      ...services.approvals,
      async list(...asked) {
        const page = await services.approvals.list(...asked);
        const hidden = await privateCalls.hidden(
          reader,
          page.items.map(({ executionId }) => executionId),
        );
        return { ...page, items: page.items.map((item) => (hidden.has(item.executionId) ? hideApproval(item) : item)) };
      },
      async get(id) {
        const item = await services.approvals.get(id);
        return (await isHidden(id)) ? hideApproval(item) : item;
      },
    },
    lenses: {
      ...services.lenses,
      async preview(name, expression, cursor, signal) {
        const findHidden = (ids: readonly string[]) => privateCalls.hidden(reader, ids);
        return await services.lenses.preview(name, expression, cursor, signal, findHidden);
      },
      async example(id, ...asked) {
        await reads.assertReadable(id);
        return await services.lenses.example(id, ...asked);
      },
      async failures(name) {
        const { count, latest } = await services.lenses.failures(name);
        const isSecret = latest !== null && (await isHidden(latest.executionId));
        return { count, latest: isSecret ? { ...latest, fault: "" } : latest };
      },
    },
    rules: {
      ...services.rules,
      fields: (tools) => services.rules.fields(tools, (ids) => privateCalls.hidden(reader, ids)),
      preview: (input, signal) => services.rules.preview(input, signal, callReader),
      propose: (input, signal) => services.rules.propose(input, signal, callReader),
      caught: (id, signal) => services.rules.caught(id, signal, callReader),
      results: (id, days, signal) => services.rules.results(id, days, signal, callReader),
    },
    models: {
      ...services.models,
      providers: () => ({ items: services.models.providers().items.map(showProvider) }),
      provider: (name) => showProvider(services.models.provider(name)),
    },
    suites: restrictSuites(services, privateCalls, reader),
    sampling: {
      ...services.sampling,
      list: async (id) => ((await isHidden(id)) ? [] : await services.sampling.list(id)),
    },
  };
}

function withReads<Executions extends Services["executions"]>(
  { readsFor: _readsFor, readAll: _readAll, ...executions }: Executions,
  { getStored: _stored, showDetail: _detail, showSummary: _summary, assertReadable: _assert, ...reads }: ExecutionReads,
): ReaderExecutions<Executions> {
  return { ...executions, ...reads };
}

function createReaderExecutions<Executions extends Services["executions"]>(
  executions: Executions,
  reads: ExecutionReads,
): ReaderExecutions<Executions> {
  const { showDetail, showSummary, assertReadable } = reads;
  const { run, replay, setPinned }: Pick<Services["executions"], "run" | "replay" | "setPinned"> = executions;
  const acting: Pick<Services["executions"], "run" | "replay" | "setPinned"> = {
    run: async (...asked) => showDetail(await run(...asked)),
    async replay(by, id, options) {
      await assertReadable(id);
      return await showDetail(await replay(by, id, options));
    },
    setPinned: async (...asked) => showSummary(await setPinned(...asked)),
  };
  return { ...withReads(executions, reads), ...acting };
}

function restrictSuites({ suites }: Services, privateCalls: PrivateCalls, reader: Principal): Services["suites"] {
  const showTests = async (run: TestRunDetail): Promise<TestRunDetail> => {
    const ids = run.results.flatMap(({ executionId, originalId }) => [executionId ?? [], originalId ?? []].flat());
    const hidden = await privateCalls.hidden(reader, ids);
    const isHidden = ({ executionId, originalId }: TestResult): boolean =>
      hidden.has(executionId ?? "") || hidden.has(originalId ?? "");
    return { ...run, results: run.results.map((result) => (isHidden(result) ? hideTestResult(result) : result)) };
  };
  // Messages of private runs must not reach other users as candidates for evals.
  const readable: ReadableCalls = { mayReadRun: (id) => privateCalls.mayReadRun(reader, id) };
  return {
    ...suites,
    async awaitRun(id, waitMs) {
      const run = await suites.awaitRun(id, waitMs);
      return run.kind === "evals" ? run : await showTests(run);
    },
    candidates: () => suites.candidates(readable),
    candidate: (origin) => suites.candidate(origin, readable),
  };
}

function restrictRuns({ runs }: Services, privateCalls: PrivateCalls, reader: Principal): Services["runs"] {
  /**
   * Limits a method to runs that the reader may read; the run's id comes first, after the actor of a method that acts.
   */
  const guard =
    <Args extends unknown[], Result>(method: (...args: Args) => Promise<Result>, getId: (args: Args) => string) =>
    async (...args: Args): Promise<Result> => {
      await privateCalls.assertMayReadRun(reader, getId(args));
      return await method(...args);
    };
  const mayRead = (id: string): Promise<boolean> => privateCalls.mayReadRun(reader, id);
  /** Shows each item, or hides its private parts. */
  const showEach = <Item extends { id: string }>(items: readonly Item[], hide: (item: Item) => Item): Promise<Item[]> =>
    Promise.all(items.map(async (item) => ((await mayRead(item.id)) ? item : hide(item))));

  /** Full pages of readable runs: a shorter page, or its cursor, would tell that the title of a hidden run matches. */
  async function searchReadable(
    ...[filter, cursor, limit]: Parameters<typeof runs.list>
  ): ReturnType<typeof runs.list> {
    const found: RunSummary[] = [];
    let next = cursor;
    do {
      const page = await runs.list(filter, next, limit);
      for (const run of page.items) if (await mayRead(run.id)) found.push(run);
      next = page.nextCursor ?? undefined;
    } while (next !== undefined && found.length <= limit);
    const items = found.slice(0, limit);
    return { items, nextCursor: found.length > limit ? (items.at(-1)?.seq ?? null) : null };
  }

  return {
    ...runs,
    async list(filter, cursor, limit) {
      if (filter.q?.trim()) return await searchReadable(filter, cursor, limit);
      const page = await runs.list(filter, cursor, limit);
      return { ...page, items: await showEach(page.items, hideRun) };
    },
    async get(id, options) {
      await privateCalls.assertMayReadRun(reader, id);
      const run = await runs.get(id, options);
      return { ...run, children: await showEach(run.children, (child) => ({ ...child, title: PRIVATE_RUN })) };
    },
    events: guard(runs.events, ([id]) => id),
    payload: guard(runs.payload, ([id]) => id),
    messages: guard(runs.messages, ([id]) => id),
    readLog: guard(runs.readLog, ([id]) => id),
    send: guard(runs.send, ([, id]) => id),
    resume: guard(runs.resume, ([, id]) => id),
    rerun: guard(runs.rerun, ([, { id }]) => id),
  };
}

const showProvider = (provider: ModelProviderSummary): ModelProviderSummary => ({
  ...provider,
  baseUrl: provider.baseUrl === null ? null : showOrigin(provider.baseUrl),
});

const hideRun = (run: RunSummary): RunSummary => ({ ...run, title: PRIVATE_RUN, error: null });

function hideTestResult(result: TestResult): TestResult {
  return { ...result, problems: [], restricted: true };
}

function hideApproval(item: ApprovalItem): ApprovalItem {
  return {
    ...item,
    argumentsText: JSON.stringify(RESTRICTED_ARGUMENTS),
    requestedArgumentsText: null,
    reason: null,
    restricted: true,
  };
}
