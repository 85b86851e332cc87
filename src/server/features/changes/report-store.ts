import type { Actor } from "../../../lib/contract/actor";
import type { ChangeReplay } from "../../../lib/contract/change-review";
import type { TrafficVerdict } from "../../../lib/contract/change-verdict";

/** The report on a pending change. */
export interface StoredReport {
  server: string;
  tool: string;
  /** The change that was checked. */
  hash: string;
  judgedAt: number | null;
  traffic: TrafficVerdict | null;
  replay: ChangeReplay | null;
}

export interface ReplayableTool {
  tool: string;
  by: Actor;
  at: number;
}

type CheckedChange = Pick<StoredReport, "server" | "tool" | "hash">;

export interface ReportStore {
  list(server: string): Promise<StoredReport[]>;
  /** Lists the reports of all servers, without replays. */
  listAll(): Promise<StoredReport[]>;
  /** Calls that a change breaks, newest first; empty where another change was checked since. */
  listBroken(hash: string): Promise<string[]>;
  /** Replaces the report on an earlier change of the tool. */
  writeTraffic(
    change: CheckedChange,
    checked: { traffic: TrafficVerdict; brokenIds: readonly string[]; at: number },
  ): Promise<void>;
  writeReplay(change: CheckedChange, replay: ChangeReplay): Promise<void>;
  /** Deletes reports of a server's tools for which no change waits. */
  keepOnly(server: string, tools: readonly string[]): Promise<void>;
  replayable(server: string): Promise<ReplayableTool[]>;
  /** Replaces the list; tools that stay keep the user who allowed them. */
  setReplayable(server: string, tools: readonly string[], by: Actor, at: number): Promise<void>;
}
