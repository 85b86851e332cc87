import { hasRole } from "../../../lib/contract/access";
import {
  type ExecutionCount,
  type ExecutionCursor,
  type ExecutionDetail,
  type ExecutionFilter,
  type ExecutionOrder,
  type ExecutionPage,
  type ExecutionSummary,
  RESTRICTED_ARGUMENTS,
  type ToolFailures,
  type ToolStatistics,
} from "../../../lib/contract/execution";
import type { ExecutionFacets, ExecutionTimeline } from "../../../lib/contract/execution-facets";
import { AppError } from "../../platform/shared/app-error";
import type { ExecutionContents } from "./execution-reads";
import type { CountEffort, FigurePeriod, StoredExecution, StoredFilter } from "./execution-store";
import { type ExportChoice, exportExecutions } from "./export-executions";
import type { PrivateCalls, Reader } from "./private-calls";

const PRIVATE_RUN = "Private run: it uses another user's credential";

/** A reader to whom no private call belongs: what it reads may be shown to everyone. */
export const EVERYONE: Reader = { id: "", role: "viewer" };

/** A part of the server that reads every call, since only its owner or its caller gets what is read. */
export type UnrestrictedPurpose =
  | "the engine of a run reads the results of its own calls"
  | "a caller reads the results of its own calls"
  | "a test is checked by the call that it made"
  | "an App is found by the definition of its tool";

/** Executions as one reader may see them. */
export interface ExecutionReads {
  get(id: string): Promise<ExecutionDetail>;
  /** The existing executions, in the order of the ids. */
  getMany(ids: readonly string[]): Promise<ExecutionDetail[]>;
  /** The stored executions, without values that come from the catalog. */
  getStored(ids: readonly string[]): Promise<StoredExecution[]>;
  list(
    filter: ExecutionFilter,
    cursor: ExecutionCursor | undefined,
    limit: number,
    order?: ExecutionOrder,
  ): Promise<ExecutionPage>;
  count(filter: ExecutionFilter, effort?: CountEffort): Promise<ExecutionCount>;
  facetCounts(filter: ExecutionFilter, effort?: CountEffort): Promise<ExecutionFacets>;
  timeline(filter: ExecutionFilter, zone: string, effort?: CountEffort): Promise<ExecutionTimeline>;
  toolStatistics(name: string, period: FigurePeriod): Promise<ToolStatistics>;
  toolFailures(name: string, since: number): Promise<ToolFailures>;
  export(choice: ExportChoice): AsyncGenerator<string, void>;
  /** A call that an acting method returns, as the reader may see it. */
  showDetail(detail: ExecutionDetail): Promise<ExecutionDetail>;
  showSummary(summary: ExecutionSummary): Promise<ExecutionSummary>;
  /** @throws AppError DENIED for a call whose contents are hidden */
  assertReadable(id: string): Promise<void>;
}

/** The one door to the contents of executions: for a reader, or for a named purpose. */
export interface ReadableExecutions {
  readsFor(reader: Reader): ExecutionReads;
  readAll(purpose: UnrestrictedPurpose): ExecutionContents;
}

type WhoReads = Pick<PrivateCalls, "hidden" | "mayReadRun" | "servers">;

export function createReadableExecutions(contents: ExecutionContents, privateCalls: WhoReads): ReadableExecutions {
  const unrestricted = toAdminReads(contents);
  return {
    readsFor: (reader) =>
      hasRole(reader.role, "admin") ? unrestricted : restrictContents(contents, privateCalls, reader),
    readAll: () => contents,
  };
}

/** Admins read every call, so all of them share one set of reads. */
function toAdminReads(contents: ExecutionContents): ExecutionReads {
  const { get, getMany, list, count, facetCounts, timeline, toolStatistics, toolFailures } = contents;
  return {
    get,
    getMany,
    getStored: contents.findMany,
    list,
    count,
    facetCounts: (filter, effort) => facetCounts(filter, effort),
    timeline,
    toolStatistics: (name, period) => toolStatistics(name, period),
    toolFailures: (name, since) => toolFailures(name, since),
    export: (choice) => exportExecutions({ list, getMany }, choice),
    showDetail: async (detail) => detail,
    showSummary: async (summary) => summary,
    assertReadable: async () => undefined,
  };
}

function restrictContents(contents: ExecutionContents, privateCalls: WhoReads, reader: Reader): ExecutionReads {
  const findHidden = (items: readonly { id: string }[]): Promise<Set<string>> =>
    privateCalls.hidden(
      reader,
      items.map(({ id }) => id),
    );
  const hideTitle = async <Item extends { runId: string | null }>(item: Item): Promise<Item> =>
    item.runId === null || (await privateCalls.mayReadRun(reader, item.runId))
      ? item
      : { ...item, runTitle: PRIVATE_RUN };
  const showMany = async (items: ExecutionSummary[]): Promise<ExecutionSummary[]> => {
    const hidden = await findHidden(items);
    return await Promise.all(items.map((item) => hideTitle(hidden.has(item.id) ? hideSummary(item) : item)));
  };
  const showDetails = async (details: ExecutionDetail[]): Promise<ExecutionDetail[]> => {
    const related = details.flatMap(({ parent, children }) => (parent === null ? children : [parent, ...children]));
    const hidden = await findHidden([...details, ...related]);
    const showOne = (item: ExecutionSummary) => hideTitle(hidden.has(item.id) ? hideSummary(item) : item);
    return await Promise.all(
      details.map(async (detail) => {
        const parent = detail.parent === null ? null : await showOne(detail.parent);
        const children = await Promise.all(detail.children.map(showOne));
        const shown = await hideTitle(Object.assign(detail, { parent, children }));
        return hidden.has(detail.id) ? { ...hideContents(shown), modelView: null, received: null } : shown;
      }),
    );
  };
  /** A filter that would reveal a hidden call by finding it, or by its position among others, leaves such calls out. */
  const restrictFilter = (filter: ExecutionFilter, order?: ExecutionOrder): StoredFilter =>
    filter.q || filter.message || filter.rule || filter.minCost || filter.size?.length || order?.by === "size"
      ? { ...filter, readableBy: { id: reader.id, ...privateCalls.servers() } }
      : filter;
  const whoReads = () => ({ id: reader.id, ...privateCalls.servers() });

  const getMany: ExecutionReads["getMany"] = async (ids) => showDetails(await contents.getMany(ids));
  const list: ExecutionReads["list"] = async (filter, cursor, limit, order) => {
    const page = await contents.list(restrictFilter(filter, order), cursor, limit, order);
    return { ...page, items: await showMany(page.items) };
  };

  return {
    get: async (id) => (await showDetails([await contents.get(id)]))[0] as ExecutionDetail,
    getMany,
    list,
    export: (choice) => exportExecutions({ list, getMany }, choice),
    async getStored(ids) {
      const found = await contents.findMany(ids);
      const hidden = await findHidden(found);
      return await Promise.all(found.map((each) => hideTitle(hidden.has(each.id) ? hideStored(each) : each)));
    },
    count: (filter, effort) => contents.count(restrictFilter(filter), effort),
    facetCounts: (filter, effort) => contents.facetCounts(restrictFilter(filter), effort, whoReads()),
    timeline: (filter, zone, effort) => contents.timeline(restrictFilter(filter), zone, effort),
    toolStatistics: (name, period) => contents.toolStatistics(name, period, whoReads()),
    toolFailures: (name, since) => contents.toolFailures(name, since, whoReads()),
    showDetail: async (detail) => (await showDetails([detail]))[0] as ExecutionDetail,
    showSummary: async (summary) => (await showMany([summary]))[0] as ExecutionSummary,
    async assertReadable(id) {
      if (!(await findHidden([{ id }])).has(id)) return;
      throw new AppError(
        "DENIED",
        `Execution '${id}' used another user's own credential or rights: only that user, its approvers and admins can read it`,
      );
    },
  };
}

function hideSummary<Item extends ExecutionSummary>(item: Item): Item {
  return {
    ...item,
    resultBytes: null,
    storedBytes: null,
    // A price may be computed from the arguments.
    cost: undefined,
    argumentsPreview: RESTRICTED_ARGUMENTS,
    errorPreview: null,
    match: undefined,
    restricted: true,
  };
}

const hideStored = (call: StoredExecution): StoredExecution => ({
  ...hideContents(call),
  modelChars: null,
  resultChars: null,
});

function hideContents<Call extends StoredExecution | ExecutionDetail>(call: Call): Call {
  return {
    ...hideSummary(call),
    argumentsText: JSON.stringify(RESTRICTED_ARGUMENTS),
    resultText: null,
    resultTruncated: false,
    error: null,
    faults: [],
    logs: [],
    reason: null,
    lens: null,
    taskId: null,
    // The matched rules would reveal facts about the arguments.
    ruleMatches: [],
    approval: call.approval && { ...call.approval, reason: null, requestedArgumentsText: null },
  };
}
