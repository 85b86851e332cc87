import { createHash } from "node:crypto";
import type { Actor } from "../../../lib/contract/actor";
import type {
  ExecutionCursor,
  ExecutionDetail,
  ExecutionFilter,
  ExecutionOrder,
  ExecutionPage,
  ExecutionSummary,
} from "../../../lib/contract/execution";
import type { DeletedExecutions, DeletionChoice, DeletionPreview } from "../../../lib/contract/execution-deletion";
import { isWholeJson } from "../../../lib/json/limits";
import { failureText, inCallersNames, viewOfText } from "../../engine/executor/output-limits";
import { textOfStoredResult } from "../../engine/executor/tool-call-result";
import { textOfProjection } from "../../engine/lens/apply-lens";
import type { Lenses } from "../../engine/lens/lens-calls";
import type { ExecutionLimits } from "../../engine/ports";
import { requiredParameters } from "../../engine/validation/argument-faults";
import { AppError } from "../../platform/shared/app-error";
import { createExecutionFacets } from "./execution-facets";
import type { ExecutionServicePorts } from "./execution-ports";
import type { ExecutionStore, StoredExecution, StoredFilter } from "./execution-store";
import { findReceived } from "./received-result";

/** Calls that no lens was applied to, although their tool may have one: what a model would get is worth showing. */
const UNPROJECTED_SOURCES: ReadonlySet<string> = new Set(["console", "replay", "api"]);

type ReadFilter = ExecutionFilter & Pick<StoredFilter, "readableBy">;
type ReadPorts = Pick<
  ExecutionServicePorts,
  "store" | "limits" | "currentHash" | "listAwaitingInput" | "listTags" | "listBroken" | "lenses" | "redactor"
> & { running?: Pick<ExecutionServicePorts["running"], "readLog"> };

export type ExecutionContents = ReturnType<typeof createExecutionReads>["contents"];

/** Recorded executions: their contents, which `readable-executions.ts` filters, and reads without contents. */
export function createExecutionReads(ports: ReadPorts) {
  const { store, limits, currentHash, listAwaitingInput, listTags = () => [], listBroken, lenses, running } = ports;
  const { toolStats, toolFigures, serverFigures, definitionUse, overview, facets, counts, findByRun } = store;

  /** @throws AppError NOT_FOUND */
  async function find(id: string): Promise<StoredExecution> {
    const found = await store.find(id);
    if (found === null) throw new AppError("NOT_FOUND", `Execution '${id}' not found`);
    return found;
  }

  async function toDetails(found: readonly StoredExecution[]): Promise<ExecutionDetail[]> {
    const parentIds = found.flatMap(({ parentId }) => parentId ?? []);
    const [parents, replays] = await Promise.all([
      parentIds.length === 0 ? [] : store.summaries(parentIds),
      store.replays(found.map(({ id }) => id)),
    ]);
    const parentsById = new Map(parents.map((parent) => [parent.id, parent]));
    const replaysById = new Map<string | null, ExecutionSummary[]>(found.map(({ id }) => [id, []]));
    for (const replay of replays) replaysById.get(replay.parentId)?.push(replay);
    return await Promise.all(
      found.map(async (each) => {
        const received = await findReceived(each, ports.redactor);
        const seen = received === null ? each : { ...each, ...received, resultTruncated: false };
        return toDetail(each, {
          logs: each.status === "running" ? (running?.readLog(each.id) ?? []) : each.logs,
          definitionChanged: each.definitionHash !== null && each.definitionHash !== currentHash(each.toolName),
          received,
          modelView: (await projectedView(seen, limits, lenses)) ?? toModelView(seen, limits),
          parent: parentsById.get(each.parentId ?? "") ?? null,
          children: replaysById.get(each.id) ?? [],
        });
      }),
    );
  }

  async function toStored({ tag, change, ...filter }: ReadFilter): Promise<StoredFilter> {
    const tagged = tag?.length ? [...listTags()].filter(([, tags]) => tags.some((each) => tag.includes(each))) : null;
    return {
      ...filter,
      ...(change === undefined ? {} : { ids: (await listBroken?.(change)) ?? [] }),
      ...(filter.status?.includes("input") ? { awaitingInput: (await listAwaitingInput?.()) ?? [] } : {}),
      ...(tagged === null ? {} : { taggedTools: tagged.map(([name]) => name) }),
    };
  }

  const contents = {
    get: async (id: string): Promise<ExecutionDetail> => {
      const [detail] = await toDetails([await find(id)]);
      return detail as ExecutionDetail;
    },
    /** The existing executions, in the order of the ids. */
    getMany: async (ids: readonly string[]): Promise<ExecutionDetail[]> => toDetails(await store.findMany(ids)),

    list: async (
      filter: ReadFilter,
      cursor: ExecutionCursor | undefined,
      limit: number,
      order?: ExecutionOrder,
    ): Promise<ExecutionPage> => store.list(await toStored(filter), { cursor, limit, order }),
    ...createExecutionFacets({ store, toStored, listTags }),
    /** @param readableBy the reader: messages of private calls of other users are left out */
    toolStatistics: store.toolStatistics,
    toolFailures: store.toolFailures,
    /** Finds the stored execution; null for an unknown id. */
    find: store.find,
    findMany: store.findMany,
    summary: store.summary,
  };

  return {
    find,
    contents,
    /** The filter as the store reads it: tags as tools, a change as its calls. */
    toStoredFilter: toStored,
    ...createExecutionDeletion({ store, find, toStored, now: Date.now }),

    /** True when a call was made with an API token; false for an unknown call. */
    isMadeWith: async (id: string, tokenId: string): Promise<boolean> => (await store.find(id))?.tokenId === tokenId,

    async setPinned(_actor: Actor, id: string, pinned: boolean): Promise<ExecutionSummary> {
      await find(id);
      return store.setPinned(id, pinned);
    },

    toolStats,
    toolFigures,
    serverFigures,
    definitionUse,
    overview,
    facets,
    counts,
    findByRun,
  };
}

type Related = Pick<ExecutionDetail, "logs" | "definitionChanged" | "received" | "modelView" | "parent" | "children">;

/** Written out, as copying so many fields takes longer than reading them. */
function toDetail(stored: StoredExecution, related: Related): ExecutionDetail {
  return {
    seq: stored.seq,
    id: stored.id,
    toolName: stored.toolName,
    calledAs: stored.calledAs,
    implementationType: stored.implementationType,
    status: stored.status,
    source: stored.source,
    actor: stored.actor,
    client: stored.client,
    argumentsPreview: stored.argumentsPreview,
    errorPreview: stored.errorPreview,
    errorKind: stored.errorKind,
    executionTimeMs: stored.executionTimeMs,
    durationMs: stored.durationMs,
    queuedAt: stored.queuedAt,
    finishedAt: stored.finishedAt,
    resultBytes: stored.resultBytes,
    storedBytes: stored.storedBytes,
    parentId: stored.parentId,
    runId: stored.runId,
    runTitle: stored.runTitle,
    pinned: stored.pinned,
    argumentsText: stored.argumentsText,
    resultText: stored.resultText,
    resultTruncated: stored.resultTruncated,
    error: stored.error,
    faults: stored.faults,
    limit: stored.limit,
    startedAt: stored.startedAt,
    timing: stored.timing,
    timeoutMs: stored.timeoutMs,
    validationSkipped: stored.validationSkipped,
    definition: stored.definition,
    definitionHash: stored.definitionHash,
    version: stored.version,
    logs: related.logs,
    callId: stored.callId,
    toolset: stored.toolset,
    taskId: stored.taskId,
    reason: stored.reason,
    serverName: stored.serverName,
    credential: stored.credential,
    lens: stored.lens,
    approval: stored.approval,
    ruleMatches: stored.ruleMatches,
    definitionChanged: related.definitionChanged,
    received: related.received,
    modelView: related.modelView,
    parent: related.parent,
    children: related.children,
  };
}

interface DeletionPorts {
  store: Pick<ExecutionStore, "list" | "count" | "delete">;
  /** @throws AppError NOT_FOUND */
  find: (id: string) => Promise<Pick<StoredExecution, "pinned">>;
  toStored: (filter: StoredFilter) => Promise<StoredFilter>;
  now: () => number;
}

/** The most rows that one request deletes; the next request continues. */
const MAX_DELETED = 5_000;
const PAGE = 200;

/** Deleting executions that have ended: chosen ones, or all that match a filter. */
function createExecutionDeletion({ store, find, toStored, now }: DeletionPorts) {
  const toTarget = async ({ filter = {}, ids, includePinned }: DeletionChoice): Promise<StoredFilter> => ({
    ...(ids === undefined ? await toStored(filter) : { ids }),
    ended: true,
    ...(includePinned ? {} : { pinned: false }),
  });

  async function deleteChosen(actor: Actor, choice: DeletionChoice): Promise<DeletedExecutions> {
    if (choice.ids === undefined && choice.filter === undefined) {
      throw new AppError("INVALID", "ids or filter: choose what to delete", [{ path: "ids", message: "is required" }]);
    }
    const target = await toTarget(choice);
    const hash = createHash("sha256");
    const outcome: DeletedExecutions = { deleted: 0, more: false, firstSeq: null, lastSeq: null, idsHash: "" };
    let cursor: Awaited<ReturnType<typeof store.list>>["nextCursor"] | undefined;
    do {
      const page = await store.list(target, { cursor, limit: PAGE });
      const ids = page.items.map(({ id }) => id);
      const by = { actor: actor.name, at: now(), includePinned: choice.includePinned };
      for (const { id, seq } of await store.delete(ids, by)) {
        outcome.deleted += 1;
        outcome.firstSeq = Math.min(outcome.firstSeq ?? seq, seq);
        outcome.lastSeq = Math.max(outcome.lastSeq ?? seq, seq);
        hash.update(`${id}\n`);
      }
      cursor = page.nextCursor;
    } while (cursor != null && outcome.deleted < MAX_DELETED);
    return { ...outcome, more: cursor != null, idsHash: hash.digest("hex") };
  }

  return {
    /** Counts the calls that a deletion would remove, and the pinned ones that it would keep. */
    async deletionPreview(_actor: Actor, choice: DeletionChoice): Promise<DeletionPreview> {
      const target = await toTarget(choice);
      const effort = { isThorough: true };
      const pinned = choice.includePinned ? null : await store.count({ ...target, pinned: true }, effort);
      return { ...(await store.count(target, effort)), keptPinned: pinned?.count ?? 0 };
    },

    /** The newest first; `more` says that others match. Calls that arrive during the deletion stay. */
    delete: deleteChosen,

    /** @throws AppError CONFLICT for one that is pinned or has not ended */
    async deleteOne(actor: Actor, id: string): Promise<void> {
      const { pinned } = await find(id);
      const { deleted } = await deleteChosen(actor, { ids: [id], includePinned: false });
      if (deleted > 0) return;
      const reason = pinned ? "is pinned: unpin it first" : "has not ended: cancel it first";
      throw new AppError("CONFLICT", `Execution '${id}' ${reason}`);
    },
  };
}

/**
 * The text that a model got through a recorded lens, or would get through the tool's lens now; null without one, where the
 * lens fails, and where the stored result is not whole.
 */
async function projectedView(
  stored: StoredExecution,
  limits: ExecutionLimits,
  lenses: Lenses | undefined,
): Promise<ExecutionDetail["modelView"]> {
  const { lens: recorded, toolName, resultText, error, resultTruncated } = stored;
  const lens = recorded ?? (UNPROJECTED_SOURCES.has(stored.source) ? (lenses?.find(toolName) ?? null) : null);
  if (lens === null || lenses === undefined || recorded?.fault != null) return null;
  if (resultText === null || error !== null || resultTruncated) return null;
  const { expression } = lens;
  const result: unknown = JSON.parse(resultText);
  const fromServer = stored.implementationType === "mcp";
  const projection = await lenses.projector.project(expression, { result, resultText, fromServer }, { preview: true });
  if (!("text" in projection)) return null;
  const { value, text } = projection;
  const first = typeof value === "string" ? value : text;
  // An MCP client receives other contents than text as separate blocks.
  const whole = stored.source === "gateway" ? first : textOfProjection(result, projection);
  return { ...viewOfText(whole, toLimit(stored, limits)), lens: expression };
}

/** MCP clients receive whole results, and choose what their model reads. */
function toLimit({ source, definition }: StoredExecution, limits: ExecutionLimits): number | null {
  return source === "gateway" ? null : (definition?.max_model_chars ?? limits.maxModelChars);
}

/** The text that a model gets for a recorded call; null while it runs. */
function toModelView(stored: StoredExecution, limits: ExecutionLimits): ExecutionDetail["modelView"] {
  const { definition, error, resultText, toolName, calledAs = toolName } = stored;
  const maxChars = toLimit(stored, limits);
  if (error !== null) {
    const listsRequired = stored.errorKind === "invalid_arguments" && definition !== null;
    const required = listsRequired ? requiredParameters(definition.parameters) : [];
    const text = failureText({ error, required_parameters: required });
    return viewOfText(inCallersNames(text, toolName, calledAs), maxChars);
  }
  if (resultText === null) return null;
  const view = viewOfText(textForModel(stored, resultText), maxChars);
  return stored.resultTruncated ? { ...view, totalChars: Math.max(view.totalChars, stored.resultChars ?? 0) } : view;
}

function textForModel({ implementationType, resultTruncated }: StoredExecution, resultText: string): string {
  if (implementationType !== "mcp") return resultTruncated ? resultText : plainText(resultText);
  // The JSON is cut: the result exceeded the limit even without its media.
  if (!isWholeJson(resultText)) return resultText;
  try {
    return textOfStoredResult(resultText) ?? resultText;
  } catch {
    return resultText;
  }
}

/** A string result reaches the model unchanged, without JSON's quotes. */
function plainText(resultText: string): string {
  if (!resultText.startsWith('"')) return resultText;
  const value: unknown = JSON.parse(resultText);
  return typeof value === "string" ? value : resultText;
}
