import { IS_LINUX } from "../../../../lib/platform";
import { endMarked, endOrphaned, killMarked } from "./orphaned-processes";
import { endRecorded, killRecorded, recordActivity, recordProcess, takeOverRecords } from "./recorded-processes";

/** Finds the processes of servers that no group leads to, also those of a Toolroom that was killed. */
export interface StrayProcesses {
  /**
   * Ends processes whose Toolroom no longer runs.
   * @param folder for notes that a later Toolroom reads; none are made where the system itself shows enough
   * @returns their number
   */
  takeOver(folder: string, graceMs: number): Promise<number>;
  started(marker: string, pid: number): void;
  /** @param isFirst the server sent its first message */
  active(isFirst: boolean): void;
  /** Ends the remaining processes of a server. */
  end(marker: string, graceMs: number): Promise<unknown>;
  /** Kills the remaining processes of servers, synchronously, while this process exits. */
  kill(markers: ReadonlySet<string>): void;
}

const ignore = (): void => {};

/** Linux shows the environment of every process, and so its marker; other systems need notes. */
export const strayProcesses: StrayProcesses = IS_LINUX
  ? {
      takeOver: (_folder, graceMs) => endOrphaned(graceMs),
      started: ignore,
      active: ignore,
      end: endMarked,
      kill: killMarked,
    }
  : {
      takeOver: takeOverRecords,
      started: recordProcess,
      active: recordActivity,
      end: endRecorded,
      kill: killRecorded,
    };
