import { hasRole, type Principal } from "../../../lib/contract/access";
import type { ApprovalItem } from "../../../lib/contract/approval";
import type {
  ExecutionDetail,
  ExecutionFilter,
  ExecutionOrder,
  ExecutionSummary,
} from "../../../lib/contract/execution";
import type { RunSummary } from "../../../lib/contract/run";
import type { ReplayChoice, TestResult, TestRunDetail } from "../../../lib/contract/test-suite";
import { AppError } from "../../platform/shared/app-error";
import type { createApprovalService } from "../approvals/approval-service";
import type { EvalService } from "../evals/eval-service";
import type { ReadableCalls } from "../evals/recorded-questions";
import type { ExecutionService } from "../executions/execution-service";
import type { PrivateCalls } from "../executions/private-calls";
import type { createLensService } from "../lenses/lens-service";
import type { createRunService } from "../runs/run-service";
import type { SamplingService } from "../sampling/sampling-service";
import type { TestService } from "../tests/test-service";
import type { GuardedServices } from "./guard-services";

type Services = GuardedServices<{
  executions: ExecutionService;
  runs: ReturnType<typeof createRunService>;
  approvals: ReturnType<typeof createApprovalService>;
  lenses: ReturnType<typeof createLensService>;
  sampling: SamplingService;
  tests: TestService;
  evals: EvalService;
}>;

/** Stands where arguments would be. */
const RESTRICTED = "Restricted: this call uses another person's credential";
const PRIVATE_RUN = "Private run: it uses another person's credential";

/**
 * The services as one reader gets them: calls that used a colleague's personal credential without arguments, results and
 * logs. Every door to people and programs goes through this; the gateway gives callers their own results only.
 */
export function restrictServices<All extends Services>(
  services: All,
  privateCalls: PrivateCalls,
  reader: Principal,
): All {
  if (hasRole(reader.role, "admin")) return services;
  const isHidden = async (id: string): Promise<boolean> => (await privateCalls.hidden(reader, [id])).size > 0;
  async function assertReadable(id: string): Promise<void> {
    if (!(await isHidden(id))) return;
    throw new AppError(
      "DENIED",
      `Execution '${id}' used a colleague's personal credential: only that person, its approvers and admins can read it`,
    );
  }
  return {
    ...services,
    executions: restrictExecutions(services, privateCalls, reader, assertReadable),
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
        const page = await services.lenses.preview(name, expression, cursor, signal, findHidden);
        const hidden = await findHidden(page.usedValues.map(({ laterId }) => laterId));
        return { ...page, usedValues: page.usedValues.filter(({ laterId }) => !hidden.has(laterId)) };
      },
      async example(id, ...asked) {
        await assertReadable(id);
        return await services.lenses.example(id, ...asked);
      },
      async failures(name) {
        const { count, latest } = await services.lenses.failures(name);
        const isSecret = latest !== null && (await isHidden(latest.executionId));
        return { count, latest: isSecret ? { ...latest, fault: "" } : latest };
      },
    },
    tests: restrictTests(services, privateCalls, reader, assertReadable),
    evals: restrictEvals(services, {
      hidden: (ids) => privateCalls.hidden(reader, ids),
      mayReadRun: (id) => privateCalls.mayReadRun(reader, id),
    }),
    sampling: {
      ...services.sampling,
      list: async (id) => ((await isHidden(id)) ? [] : await services.sampling.list(id)),
    },
  };
}

/** Reasons and messages of private calls are no questions for others. */
function restrictEvals({ evals }: Services, readable: ReadableCalls): Services["evals"] {
  return {
    ...evals,
    testWords: (request) => evals.testWords(request, readable),
    compareEdit: (edit) => evals.compareEdit(edit, readable),
    candidates: () => evals.candidates(readable),
    candidate: (origin) => evals.candidate(origin, readable),
  };
}

function restrictExecutions(
  { executions }: Services,
  privateCalls: PrivateCalls,
  reader: Principal,
  assertReadable: (id: string) => Promise<void>,
): Services["executions"] {
  const listHidden = (items: readonly ExecutionSummary[]): Promise<Set<string>> => {
    const ids = items.map(({ id }) => id);
    return privateCalls.hidden(reader, ids);
  };
  const showAll = async (items: ExecutionSummary[]): Promise<ExecutionSummary[]> => {
    const hidden = await listHidden(items);
    return await Promise.all(items.map((item) => hideTitle(hidden.has(item.id) ? hideSummary(item) : item)));
  };
  const hideTitle = async <Item extends ExecutionSummary>(item: Item): Promise<Item> =>
    item.runId === null || (await privateCalls.mayReadRun(reader, item.runId))
      ? item
      : { ...item, runTitle: PRIVATE_RUN };
  const showMany = async (details: readonly ExecutionDetail[]): Promise<ExecutionDetail[]> => {
    const hidden = await listHidden(
      details.flatMap((detail) => [detail, ...(detail.parent === null ? [] : [detail.parent]), ...detail.children]),
    );
    const showOne = (item: ExecutionSummary) => hideTitle(hidden.has(item.id) ? hideSummary(item) : item);
    return await Promise.all(
      details.map(async (detail) => {
        const parent = detail.parent === null ? null : await showOne(detail.parent);
        const children = await Promise.all(detail.children.map(showOne));
        const shown = await hideTitle({ ...detail, parent, children });
        return hidden.has(detail.id) ? hideDetail(shown) : shown;
      }),
    );
  };
  const show = async (detail: ExecutionDetail): Promise<ExecutionDetail> =>
    (await showMany([detail]))[0] as ExecutionDetail;
  /** Leaves out filters that would reveal a hidden call by finding it, or by its position among others. */
  const leaveOut = (filter: ExecutionFilter, order?: ExecutionOrder) =>
    filter.q || filter.size?.length || order?.by === "size"
      ? { readableBy: { id: reader.id, ...privateCalls.servers() } }
      : {};
  return {
    ...executions,
    get: async (id) => show(await executions.get(id)),
    getMany: async (ids) => showMany(await executions.getMany(ids)),
    async list(filter, cursor, limit, order) {
      const page = await executions.list({ ...filter, ...leaveOut(filter, order) }, cursor, limit, order);
      return { ...page, items: await showAll(page.items) };
    },
    count: (filter) => executions.count({ ...filter, ...leaveOut(filter) }),
    facetCounts: (filter) =>
      executions.facetCounts({ ...filter, ...leaveOut(filter) }, { id: reader.id, ...privateCalls.servers() }),
    timeline: (filter, zone) => executions.timeline({ ...filter, ...leaveOut(filter) }, zone),
    newestByClient: async (part) => showAll(await executions.newestByClient(part)),
    toolStatistics: (name) => executions.toolStatistics(name, { id: reader.id, ...privateCalls.servers() }),
    async setPinned(by, ...asked) {
      const [item] = await showAll([await executions.setPinned(by, ...asked)]);
      return item as ExecutionSummary;
    },
    run: async (...asked) => show(await executions.run(...asked)),
    async replay(by, id, ...asked) {
      await assertReadable(id);
      return show(await executions.replay(by, id, ...asked));
    },
  };
}

function restrictTests(
  { tests }: Services,
  privateCalls: PrivateCalls,
  reader: Principal,
  assertReadable: (id: string) => Promise<void>,
): Services["tests"] {
  const findHidden = (ids: readonly string[]) => privateCalls.hidden(reader, ids);
  const showRun = async (run: TestRunDetail): Promise<TestRunDetail> => {
    const ids = run.results.flatMap(({ executionId, originalId }) => [executionId ?? [], originalId ?? []].flat());
    const hidden = await findHidden(ids);
    const isHidden = ({ executionId, originalId }: TestResult): boolean =>
      hidden.has(executionId ?? "") || hidden.has(originalId ?? "");
    return { ...run, results: run.results.map((result) => (isHidden(result) ? hideTestResult(result) : result)) };
  };
  /** A text is not searched for in private calls. */
  const leaveOut = ({ ids, filter }: ReplayChoice): ReplayChoice =>
    filter?.q
      ? { filter: { ...filter, ...{ readableBy: { id: reader.id, ...privateCalls.servers() } } } }
      : { ids, filter };
  return {
    ...tests,
    async propose(executionId) {
      await assertReadable(executionId);
      return await tests.propose(executionId);
    },
    previewReplay: (choice) => tests.previewReplay(leaveOut(choice), findHidden),
    startReplay: (by, choice, options) => tests.startReplay(by, leaveOut(choice), options, findHidden),
    getRun: async (id) => showRun(await tests.getRun(id)),
    awaitRun: async (id, waitMs) => showRun(await tests.awaitRun(id, waitMs)),
  };
}

function restrictRuns({ runs }: Services, privateCalls: PrivateCalls, reader: Principal): Services["runs"] {
  /** The same method for runs that the reader may read; the run's id comes first, after the actor of one that acts. */
  const guard =
    <Args extends unknown[], Result>(method: (...args: Args) => Promise<Result>, getId: (args: Args) => string) =>
    async (...args: Args): Promise<Result> => {
      await privateCalls.assertMayReadRun(reader, getId(args));
      return await method(...args);
    };
  const mayRead = (id: string): Promise<boolean> => privateCalls.mayReadRun(reader, id);
  /** Each item as it is or hidden. */
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
    messageText: guard(runs.messageText, ([id]) => id),
    readLog: guard(runs.readLog, ([id]) => id),
    send: guard(runs.send, ([, id]) => id),
    resume: guard(runs.resume, ([, id]) => id),
    rerun: guard(runs.rerun, ([, { id }]) => id),
  };
}

const hideRun = (run: RunSummary): RunSummary => ({ ...run, title: PRIVATE_RUN, error: null });

function hideSummary<Item extends ExecutionSummary>(item: Item): Item {
  const size = { resultBytes: null, storedBytes: null };
  return { ...item, ...size, argumentsPreview: RESTRICTED, errorPreview: null, match: undefined, restricted: true };
}

function hideDetail(detail: ExecutionDetail): ExecutionDetail {
  return {
    ...hideSummary(detail),
    ...{
      argumentsText: JSON.stringify(RESTRICTED),
      resultText: null,
      resultTruncated: false,
      error: null,
      faults: [],
      logs: [],
    },
    ...{ modelView: null, reason: null, lens: null, taskId: null },
    approval: detail.approval && { ...detail.approval, reason: null, requestedArgumentsText: null },
  };
}

function hideTestResult(result: TestResult): TestResult {
  return { ...result, problems: [], restricted: true };
}

function hideApproval(item: ApprovalItem): ApprovalItem {
  return {
    ...item,
    argumentsText: JSON.stringify(RESTRICTED),
    requestedArgumentsText: null,
    reason: null,
    restricted: true,
  };
}
