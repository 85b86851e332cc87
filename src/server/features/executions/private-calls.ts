import { type Actor, hasRole, type Role } from "../../../lib/contract";
import type { ApprovalMode } from "../../../lib/contract/approval";
import { explainApproverDenial, findApproverRule } from "../../../lib/contract/approver";
import { AppError } from "../../shared/app-error";

export interface Reader {
  id: string;
  role: Role;
}

/** Names of servers with personal credentials: all of them, and those whose calls everyone may read. */
export interface PersonalServers {
  personal: string[];
  open: string[];
}

interface HiddenCall {
  id: string;
  status: string;
  toolName: string;
  actor: Actor;
}

export interface PrivateCallStore {
  /** Those of the calls that belong to somebody else, and that the reader did not decide. */
  hidden(ids: readonly string[], reader: string, servers: PersonalServers): HiddenCall[];
  /** Who called private tools in a run or the runs it was rerun from, and whose run it is; null where nobody did. */
  readersOfRun(runId: string, servers: PersonalServers): string[] | null;
}

interface PrivateCallPorts {
  store: PrivateCallStore;
  servers: () => PersonalServers;
  approvalMode: (toolName: string) => ApprovalMode | null;
  now: () => number;
}

export type PrivateCalls = ReturnType<typeof createPrivateCalls>;

/** How long who may read a run is remembered: another process may have called a tool in it since. */
const REMEMBERED_MS = 2000;
const MAX_REMEMBERED = 500;

/**
 * Who may read what calls with a person's own credential took and returned: that person, who may approve the call or
 * decided it, and admins. A run with such calls can be read by its owner, the callers and admins.
 */
export function createPrivateCalls({ store, servers, approvalMode, now }: PrivateCallPorts) {
  const runs = new Map<string, { readers: string[] | null; until: number }>();

  const mayDecide = (reader: Reader, { status, toolName, actor }: HiddenCall): boolean =>
    status === "waiting" &&
    hasRole(reader.role, "operator") &&
    explainApproverDenial(findApproverRule(approvalMode(toolName)), reader, actor) === null;

  function readersOfRun(runId: string): string[] | null {
    const known = runs.get(runId);
    if (known !== undefined && known.until > now()) return known.readers;
    if (runs.size >= MAX_REMEMBERED) runs.clear();
    const readers = store.readersOfRun(runId, servers());
    runs.set(runId, { readers, until: now() + REMEMBERED_MS });
    return readers;
  }

  const mayReadRun = (reader: Reader, runId: string): boolean => {
    const readers = readersOfRun(runId);
    return readers === null || hasRole(reader.role, "admin") || readers.includes(reader.id);
  };

  return {
    servers,
    /** The ids of those executions whose arguments and results the reader must not get. */
    hidden(reader: Reader, ids: readonly string[]): Set<string> {
      if (hasRole(reader.role, "admin") || ids.length === 0) return new Set();
      const calls = store.hidden(ids, reader.id, servers());
      return new Set(calls.filter((call) => !mayDecide(reader, call)).map(({ id }) => id));
    },
    /** Who gets live events of a run, beside admins; undefined for everyone. */
    audienceOfRun: (runId: string): readonly string[] | undefined => readersOfRun(runId) ?? undefined,
    /** After a call with a personal credential. */
    forgetRuns: (): void => runs.clear(),
    mayReadRun,
    /** @throws AppError DENIED */
    assertMayReadRun(reader: Reader, runId: string): void {
      if (mayReadRun(reader, runId)) return;
      throw new AppError(
        "DENIED",
        "This run used somebody's personal credential: only its participants and admins can read it",
      );
    },
  };
}
