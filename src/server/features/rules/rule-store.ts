import type { CallRule, CallRuleInput } from "../../../lib/contract/call-rule";
import type { ErrorKind, ExecutionSource, ExecutionStatus } from "../../../lib/contract/envelope";
import type { ExecutionFilter } from "../../../lib/contract/execution";
import type { Edit } from "../../platform/shared/edit-conflict";

/** A rule without its figures. */
export type StoredRule = Omit<CallRule, "matched" | "unevaluable">;

export interface NewRule {
  id: string;
  input: CallRuleInput;
  at: number;
  by: string;
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
  /** Of arguments and result. */
  bytes: number;
  argumentsPreview: string;
  /** Null where they were not asked for, and where they have more than 131,072 characters. */
  argumentsText: string | null;
  /** Null as the arguments are, and where only the beginning is stored. */
  resultText: string | null;
  /** Null where results were not asked for. */
  error: string | null;
}

/** What is read of calls beside their facts. */
export interface ReadParts {
  arguments: boolean;
  results: boolean;
}

export type CallTime = Pick<RecordedCall, "seq" | "actorId" | "toolName" | "queuedAt">;

/** Rows between two numbers; `above` is exclusive. */
export interface SeqRange {
  above: number;
  upTo: number;
}

export interface RuleStore {
  /** In their order. Rows that cannot be read are left out. */
  list(): Promise<StoredRule[]>;
  /** Adds it as the last one. @throws AppError with the code CONFLICT for a taken name */
  create(rule: NewRule): Promise<void>;
  /** @throws AppError with the code CONFLICT for a taken name and another version, NOT_FOUND for an unknown one */
  update(id: string, change: Omit<NewRule, "id">, edit: Edit): Promise<void>;
  /** @throws as `update` */
  delete(id: string, edit: Edit): Promise<void>;
  /** Puts a rule at a position from 1, and the others around it. @throws AppError NOT_FOUND */
  move(id: string, position: number): Promise<void>;
  /** The numbers of the calls since a time. */
  findRange(since: number): Promise<SeqRange>;
  /** The calls that rules decided or would have, newest first. */
  readCalls(filter: ExecutionFilter, range: SeqRange, parts: ReadParts): Promise<RecordedCall[]>;
  /** The same calls of everyone, oldest first. */
  readTimes(range: SeqRange): Promise<CallTime[]>;
  /** US dollars of calls by the prices that were recorded, by the calls' ids. */
  readCosts(ids: readonly string[]): Promise<Map<string, number>>;
  /** The tags of definitions, by their hash. */
  readTags(hashes: readonly string[]): Promise<Map<string, readonly string[]>>;
  /** Arguments of the newest calls of a tool. */
  listArguments(toolName: string, limit: number): Promise<{ id: string; text: string }[]>;
  /** The id of the API token that a call was made with; null without one. */
  findToken(executionId: string): Promise<string | null>;
  /** Calls that each rule matched since then, by its id. */
  countMatches(since: number): Promise<Map<string, number>>;
}
