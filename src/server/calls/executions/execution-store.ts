import type { Actor } from "../../../lib/contract/actor";
import type { ExecutionStatus } from "../../../lib/contract/envelope";
import type {
  ExecutionCount,
  ExecutionCursor,
  ExecutionDetail,
  ExecutionFilter,
  ExecutionOrder,
  ExecutionPage,
  ExecutionSummary,
  OverviewStats,
  ServerFigures,
  ToolFailures,
  ToolFigures,
  ToolStatistics,
  ToolStats,
} from "../../../lib/contract/execution";
import type { ExecutionTimeline, FacetCounts, FacetName } from "../../../lib/contract/execution-facets";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { DefinitionUse } from "../../../lib/contract/tool-version";
import type { ExecutionJournal } from "../../engine/ports";
import type { StatisticsReads, StatisticsUpkeep } from "../statistics/statistics-store";
import type { PersonalServers } from "./private-calls";

/** One recorded call. The rest of `ExecutionDetail` comes from the catalog and other rows. */
export interface StoredExecution
  extends Omit<ExecutionDetail, "definitionChanged" | "modelView" | "received" | "parent" | "children"> {
  /** Characters of the result that a model was given, and of the whole. */
  modelChars: number | null;
  resultChars: number | null;
  /** The API token that the call was made with. */
  tokenId: string | null;
}

export interface PageRequest {
  /** `nextCursor` of the page before. */
  cursor?: ExecutionCursor | null | undefined;
  limit?: number;
  /** Newest first where absent. With a text, of its newest 10,000 matches. */
  order?: ExecutionOrder | null | undefined;
}

export interface StoredFilter extends ExecutionFilter {
  /** The calls that the status `input` means: the table does not know them. */
  awaitingInput?: readonly string[];
  /** The tools that have the filter's tags. */
  taggedTools?: readonly string[];
  /** Limits the filter to these ids. */
  ids?: readonly string[];
  /** Limits the filter to calls that neither run nor wait. */
  ended?: boolean;
  /** The reader who searches: a text is not searched for in private calls of other users. */
  readableBy?: PersonalServers & { id: string };
}

export type ListExecutions = (filter: StoredFilter, page?: PageRequest) => Promise<ExecutionPage>;

interface ExecutionCounts {
  executions: number;
  replays: number;
  running: number;
  /** Older calls are not counted yet. */
  rebuilding: boolean;
}

/** Whole days of a time zone up to now; null for all calls. */
export interface FigurePeriod {
  days: number | null;
  zone: string;
}

export interface ExecutionStats {
  toolStats(name: string): Promise<ToolStats>;
  /** @param readableBy the reader: messages of private calls of other users are left out */
  toolStatistics(name: string, period: FigurePeriod, readableBy?: StoredFilter["readableBy"]): Promise<ToolStatistics>;
  /** @param since epoch milliseconds */
  toolFailures(name: string, since: number, readableBy?: StoredFilter["readableBy"]): Promise<ToolFailures>;
  /** Returns the figures of every tool that was ever called. @param tools at most a page of the catalog; absent: all */
  toolFigures(days: number, tools?: readonly string[]): Promise<ToolFigures[]>;
  /** Returns the figures of every server that was called in these days. */
  serverFigures(days: number): Promise<ServerFigures[]>;
  overview(days: number, zone: string): Promise<OverviewStats>;
  /** Calls of these tools by definition. */
  definitionUse(tools: readonly string[]): Promise<DefinitionUse>;
  counts(): Promise<ExecutionCounts>;
  facets(): Promise<{ tools: string[]; actors: Actor[] }>;
}

/** A call of a run, with the data for resuming the run. */
export interface ExecutionOfRun {
  id: string;
  callId: string | null;
  status: ExecutionStatus;
}

export interface DeletionBy {
  actor: string;
  at: number;
  /** False keeps what is pinned when it would be deleted. */
  includePinned: boolean;
}

/** Deletes ended executions among these, with all their data. @returns the deleted ones */
export type DeleteExecutions = (ids: readonly string[], by: DeletionBy) => Promise<{ id: string; seq: number }[]>;

/** The dimensions by which a store counts calls. `ownTool` is a tool's own name alone, where `tool` has the names that callers used as well. */
export type StoredFacet = Exclude<FacetName, "tag"> | "ownTool";

/** How long a count may take before it answers with what it has. */
export interface CountEffort {
  /** Lets the count take some seconds instead of some milliseconds. */
  isThorough?: boolean;
  /** Counts that share the time of one request; 1 when absent. */
  parts?: number;
}

/** Reads of all matching calls, the newest first, that stop after a number of calls or a time. */
export interface ExecutionAnalysis {
  facetCounts(
    filter: StoredFilter,
    facets: readonly StoredFacet[],
    effort?: CountEffort,
  ): Promise<ReadonlyMap<StoredFacet, FacetCounts>>;
  /** @param zone the time zone whose midnights begin steps of days */
  timeline(filter: StoredFilter, zone: string, effort?: CountEffort): Promise<ExecutionTimeline>;
}

export interface ExecutionStore extends ExecutionJournal, ExecutionStats, ExecutionAnalysis {
  list: ListExecutions;
  /** How many match, up to a limit and a time. */
  count(filter: StoredFilter, effort?: CountEffort): Promise<ExecutionCount>;
  find(id: string): Promise<StoredExecution | null>;
  /** The existing executions, in the order of the ids. */
  findMany(ids: readonly string[]): Promise<StoredExecution[]>;
  summary(id: string): Promise<ExecutionSummary | null>;
  summaries(ids: readonly string[]): Promise<ExecutionSummary[]>;
  /** The newest 200 replays of each call, newest first. */
  replays(ids: readonly string[]): Promise<ExecutionSummary[]>;
  /** Returns true if executions of other tools have this name in `calledAs`. */
  isAlias(name: string): Promise<boolean>;
  /** The server process that has a call; null for one that has ended, or is unknown. */
  findOwner(id: string): Promise<string | null>;
  /** Every call of a run, oldest first. */
  findByRun(runId: string): Promise<ExecutionOfRun[]>;
  /** @throws Error for an unknown id */
  setPinned(id: string, pinned: boolean): Promise<ExecutionSummary>;
  delete: DeleteExecutions;
  statistics: StatisticsReads;
  statisticsUpkeep: StatisticsUpkeep;
  /** Resolves when every ended call is counted; no product code waits for it. */
  drainStatistics(): Promise<void>;
  hashDefinition: (definition: ToolDefinition) => string;
  /** Resolves when every write so far is committed. */
  drain(): Promise<void>;
  /** Resolves when every ended call is in the search index; no product code waits for it. */
  drainIndex(): Promise<void>;
  close(): Promise<void>;
}
