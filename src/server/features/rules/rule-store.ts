import type { CallRule, CallRuleInput } from "../../../lib/contract/call-rule";
import type { ErrorKind, ExecutionSource, ExecutionStatus } from "../../../lib/contract/envelope";
import type { StoredFilter } from "../../calls/executions/execution-store";
import type { Edit } from "../../platform/shared/edit-conflict";

/** A rule without its figures. */
export type StoredRule = Omit<CallRule, "matched" | "unevaluable">;

export interface NewRule {
  id: string;
  input: CallRuleInput;
  at: number;
  by: string;
  /** The position, from 1; absent: the last one. */
  position?: number | undefined;
}

/** A recorded call as a preview reads it. */
export interface RecordedCall {
  seq: number;
  id: string;
  toolName: string;
  implementationType: string | null;
  serverName: string | null;
  toolset: string | null;
  actorId: string;
  actorName: string;
  client: string | null;
  source: ExecutionSource;
  tokenId: string | null;
  queuedAt: number;
  status: ExecutionStatus;
  errorKind: ErrorKind | null;
  definitionHash: string | null;
  runId: string | null;
  /** The size of arguments and result. */
  bytes: number;
  argumentsPreview: string;
  /** Null where they were not asked for, and where they have more than 131,072 characters. */
  argumentsText: string | null;
  /** Null in the same cases as the arguments, and where only the beginning is stored. */
  resultText: string | null;
  /** Null where results were not asked for. */
  error: string | null;
}

/** The parts of calls to read beside their facts. */
export interface ReadParts {
  arguments: boolean;
  results: boolean;
  /** Whether to read the costs by the prices of rules. */
  costs: boolean;
}

export type CallTime = Pick<RecordedCall, "seq" | "actorId" | "toolName" | "queuedAt">;

/** Rows between two numbers; `above` is exclusive. */
export interface SeqRange {
  above: number;
  upTo: number;
}

export interface ReadPart {
  range: SeqRange;
  /** Limits the calls to these. */
  seqs?: readonly number[] | undefined;
  parts: ReadParts;
}

export interface CallSearch {
  range: SeqRange;
  limit: number;
  /** A time of `performance.now()`: the calls found by then are the answer. */
  until: number;
}

export interface MatchPlace {
  matchedAt: number;
  executionId: string;
}

/** A call that a rule matched. */
export interface MatchedCall extends MatchPlace {
  version: number;
  recordOnly: boolean;
  toolName: string;
  actorId: string;
  actorName: string;
  source: ExecutionSource;
  status: ExecutionStatus;
  errorKind: ErrorKind | null;
  /** The status of its approval; null where none was requested. */
  approval: string | null;
}

export interface RuleStore {
  /** Lists the rules in their order. Rows that cannot be read are left out. */
  list(): Promise<StoredRule[]>;
  /** @throws AppError with the code CONFLICT for a taken name */
  create(rule: NewRule): Promise<void>;
  /** @throws AppError with the code CONFLICT for a taken name and another version, NOT_FOUND for an unknown one */
  update(id: string, change: Omit<NewRule, "id">, edit: Edit): Promise<void>;
  /** @throws the same errors as `update` */
  delete(id: string, edit: Edit): Promise<void>;
  /** Puts a rule at a position from 1, and the others around it. @throws AppError NOT_FOUND */
  move(id: string, position: number): Promise<void>;
  /** The numbers of the calls since a time. */
  findRange(since: number): Promise<SeqRange>;
  /** The calls that rules decided or would have, newest first. */
  readCalls(filter: StoredFilter, part: ReadPart): Promise<RecordedCall[]>;
  /** The numbers of the calls with the text of the filter, newest first. */
  searchCalls(filter: StoredFilter, search: CallSearch): Promise<number[]>;
  /** A call with its arguments, whether rules decided it or not; null for an unknown one. */
  findCall(id: string): Promise<RecordedCall | null>;
  /** The calls that a rule matched, newest first, with what became of them. @param after the last one of the part before */
  readMatches(ruleId: string, since: number, after: MatchPlace | null): Promise<MatchedCall[]>;
  /** Stores when an editor reviewed what the rule recorded. */
  markReviewed(id: string, at: number): Promise<void>;
  /** The matched calls of all users, oldest first. */
  readTimes(range: SeqRange): Promise<CallTime[]>;
  /** US dollars of calls by the prices that were recorded, by the calls' ids. */
  readCosts(ids: readonly string[]): Promise<Map<string, number>>;
  /** The tags of definitions, by their hash. */
  readTags(hashes: readonly string[]): Promise<Map<string, readonly string[]>>;
  /** Arguments of the newest calls of a tool. */
  listArguments(toolName: string, limit: number): Promise<{ id: string; text: string }[]>;
  /** The id of the API token that a call was made with; null without one. */
  findToken(executionId: string): Promise<string | null>;
  /** The encrypted secrets of hooks, by their rule's id. */
  readHookSecrets(): Promise<Map<string, string>>;
  /** Stores the secret of a rule without one. */
  addHookSecret(id: string, sealed: string): Promise<void>;
  setHookSecret(id: string, sealed: string): Promise<void>;
  /** Calls that each rule matched since then, by its id. */
  countMatches(since: number): Promise<Map<string, number>>;
}
