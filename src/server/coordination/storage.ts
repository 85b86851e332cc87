import type { LiveEvent } from "../../lib/contract";
import type { CallKind } from "./call-registry";
import type { ChangeTopic } from "./change-feed";
import type { InstanceInfo } from "./instance-directory";
import type { Job } from "./jobs";
import type { WriteNotices } from "./write-notices";

/** What coordination keeps in the database. Times of leases are judged by the storage's clock alone. */
export interface CoordinationStorage {
  activity: ActivityStorage;
  changes: ChangeStorage;
  commands: CommandStorage;
  instances: InstanceStorage;
  jobs: JobStorage;
  leases: LeaseStorage;
  notices: WriteNotices;
}

type LiveCall = Extract<LiveEvent, { type: "execution" }>["execution"];
type LiveRun = Extract<LiveEvent, { type: "run" }>["run"];

/** A call as open pages need it, with the copy that owns it. */
export interface StoredCall extends LiveCall {
  seq: number;
  instanceId: string;
}

export interface StoredRunState extends LiveRun {
  instanceId: string;
}

/** The newest stored call and event of a run. Both numbers only grow. */
export interface ActivityEnd {
  calls: number;
  runEvents: number;
}

/** Calls and runs as every copy of the server stores them anyway, read by key. */
export interface ActivityStorage {
  findEnd(): Promise<ActivityEnd>;
  /** Calls recorded after `after` up to `upTo`: those of other copies, and of this one those that wait for approval. */
  listNewCalls(after: number, upTo: number, instanceId: string): Promise<StoredCall[]>;
  /** @param seqs null for all that run or wait */
  listCalls(seqs: readonly number[] | null): Promise<StoredCall[]>;
  listRunsWithEvents(after: number, upTo: number): Promise<string[]>;
  /** All that run or wait, and `ids`. */
  listRuns(ids: readonly string[]): Promise<StoredRunState[]>;
}

export interface StoredChange {
  instanceId: string;
  topic: ChangeTopic;
  key: string | null;
}

export interface ChangeStorage {
  append(change: StoredChange): Promise<void>;
  /** The place after the newest change. */
  findEnd(): Promise<string>;
  /** The oldest `limit` changes after `cursor`, and the place after them. */
  listAfter(cursor: string, limit: number): Promise<{ changes: StoredChange[]; cursor: string }>;
  deleteOlderThan(ageMs: number): Promise<void>;
}

export interface StoredCommand {
  id: string;
  kind: CallKind;
  key: string;
  payload: string | null;
}

export interface CommandStorage {
  create(command: StoredCommand & { targetId: string }): Promise<void>;
  /** Each command is given out once. */
  claim(targetId: string): Promise<StoredCommand[]>;
  finish(id: string, outcome: boolean): Promise<void>;
  /** `outcome` is null until the target has finished. Null where there is no such command. */
  find(id: string): Promise<{ isClaimed: boolean; outcome: boolean | null } | null>;
  /** False where the target has claimed it. */
  withdraw(id: string): Promise<boolean>;
  delete(id: string): Promise<void>;
  deleteOlderThan(ageMs: number): Promise<void>;
  /** The copy that a call runs or waits in. */
  findOwner(kind: CallKind, id: string): Promise<string | null>;
}

export interface StoredInstance extends InstanceInfo {
  /** Since its last heartbeat. */
  silentMs: number;
}

export interface InstanceStorage {
  beat(instance: { id: string; pid: number; host: string }): Promise<void>;
  list(ids: readonly string[]): Promise<StoredInstance[]>;
  deleteSilent(silentMs: number): Promise<void>;
}

export interface LeaseStorage {
  /**
   * The new fence; null where another owner's lease has not ended. An owner's own lease is not given twice.
   * @param goneId a copy that has ended: its lease is free
   */
  take(key: string, ownerId: string, leaseMs: number, goneId?: string): Promise<number | null>;
  findOwner(key: string): Promise<string | null>;
  /** False where it is no longer held with this fence. */
  renew(key: string, ownerId: string, fence: number, leaseMs: number): Promise<boolean>;
  release(key: string, ownerId: string, fence: number): Promise<void>;
}

export interface ClaimedJob {
  kind: string;
  key: string;
  payload: string | null;
  attempts: number;
  /** Identifies this claim, and the order that it answers. */
  fence: number;
  revision: number;
}

export interface JobStorage {
  schedule(job: Job): Promise<void>;
  /** When the next of these kinds can be claimed, epoch milliseconds; null for none. */
  findNext(kinds: readonly string[]): Promise<number | null>;
  /** Takes jobs that are due, oldest first. */
  claim(kinds: readonly string[], ownerId: string, leaseMs: number, limit: number): Promise<ClaimedJob[]>;
  renew(job: ClaimedJob, ownerId: string, leaseMs: number): Promise<boolean>;
  /** Ends the claim: the job goes, or stays where it was scheduled again since. Nothing where the claim was lost. */
  complete(job: ClaimedJob, ownerId: string): Promise<void>;
  /** Ends the claim and runs it again at `runAt`, or earlier where it was scheduled so since. */
  repeat(job: ClaimedJob, ownerId: string, again: { runAt: number; attempts: number }): Promise<void>;
  listOwners(): Promise<string[]>;
  /** Ends the claims of these copies. */
  releaseAll(ownerIds: readonly string[]): Promise<void>;
}
