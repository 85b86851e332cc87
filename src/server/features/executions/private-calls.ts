import { hasRole, type Role } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalMode } from "../../../lib/contract/approval";
import { explainApproverDenial, findApproverRule, joinModes } from "../../../lib/contract/approver";
import { AppError } from "../../platform/shared/app-error";

export interface Reader {
  id: string;
  role: Role;
}

/** Names of servers with personal credentials: all of them, and those whose calls everyone may read. */
export interface PersonalServers {
  personal: string[];
  open: string[];
}

export interface HiddenCall {
  id: string;
  runId: string | null;
  /** Whether the call itself may have used its actor's credential; else only others of its run did. */
  private: 0 | 1;
  status: string;
  toolName: string;
  actor: Actor;
  /** The approval setting when the call was made; null for a call that needed no approval. */
  mode: ApprovalMode | null;
}

/** The calls of a run's model, before they are recorded. */
export interface AnnouncedCalls {
  /** The servers of the called tools. */
  servers: readonly string[];
  /** For whom they run. */
  caller: string;
  /** True when the response is complete. */
  complete: boolean;
}

interface KnownCalls {
  readers: string[];
  writing: readonly string[];
  written: readonly string[];
}

export interface PrivateCallStore {
  /** The calls, private or in a run, that belong to other users and that the reader did not decide. */
  hidden(ids: readonly string[], reader: string, servers: PersonalServers): HiddenCall[];
  /** The users who called private tools in a run or the runs it was rerun from, and the run's owner; null for none. */
  readersOfRun(runId: string, servers: PersonalServers): string[] | null;
  /** The run's owner. */
  ownersOfRun(runId: string): string[];
}

interface PrivateCallPorts {
  store: PrivateCallStore;
  servers: () => PersonalServers;
  approvalMode: (toolName: string) => ApprovalMode | null;
  now: () => number;
}

export type PrivateCalls = ReturnType<typeof createPrivateCalls>;

/** How long who may read a run is remembered. */
const REMEMBERED_MS = 2000;
const MAX_REMEMBERED = 500;
/** Runs whose announced calls are known; the oldest are forgotten first. */
const MAX_ANNOUNCED = 5000;

/**
 * Who may read what calls with a person's own credential took and returned: that person, who may approve the call or
 * decided it, and admins. A run with such calls can be read by its owner, the callers and admins.
 */
export function createPrivateCalls({ store, servers, approvalMode, now }: PrivateCallPorts) {
  const runs = new Map<string, { readers: string[] | null; until: number }>();

  const announced = new Map<string, KnownCalls>();

  const mayDecide = (reader: Reader, { status, toolName, actor, mode }: HiddenCall): boolean =>
    status === "waiting" &&
    hasRole(reader.role, "operator") &&
    explainApproverDenial(findApproverRule(joinModes(mode, approvalMode(toolName))), reader, actor) === null;

  const onlyPrivate = (names: readonly string[]): string[] => {
    const { personal, open } = servers();
    return names.filter((name) => personal.includes(name) && !open.includes(name));
  };

  function announcedReaders(runId: string): readonly string[] {
    const calls = announced.get(runId);
    return calls === undefined || onlyPrivate([...calls.writing, ...calls.written]).length === 0 ? [] : calls.readers;
  }

  function readersOfRun(runId: string): string[] | null {
    const known = runs.get(runId);
    if (known !== undefined && known.until > now()) return known.readers;
    if (runs.size >= MAX_REMEMBERED) runs.clear();
    const found = [...(store.readersOfRun(runId, servers()) ?? []), ...announcedReaders(runId)];
    const readers = found.length === 0 ? null : [...new Set(found)];
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
      const calls = store.hidden(ids, reader.id, servers()).filter(
        // The model's words in a private run, its later arguments included, repeat results.
        (call) => call.private || (call.runId !== null && !mayReadRun(reader, call.runId)),
      );
      return new Set(calls.filter((call) => !mayDecide(reader, call)).map(({ id }) => id));
    },
    /** The users who get live events of a run, beside admins; undefined for all. */
    audienceOfRun: (runId: string): readonly string[] | undefined => readersOfRun(runId) ?? undefined,
    /** After a call with a personal credential. */
    forgetRuns: (): void => runs.clear(),
    /** A model names the tools that it calls before the calls are recorded: a run is private from then on. */
    announce(runId: string, { servers: called, caller, complete }: AnnouncedCalls): void {
      const known = announced.get(runId);
      const names = onlyPrivate(called);
      if (names.length === 0 && known === undefined) return;
      const before = known ?? { readers: store.ownersOfRun(runId), writing: [], written: [] };
      announced.set(runId, {
        readers: [...new Set([...before.readers, caller])],
        writing: complete ? [] : [...new Set([...before.writing, ...names])],
        written: complete ? [...new Set([...before.written, ...names])] : before.written,
      });
      if (announced.size > MAX_ANNOUNCED) announced.delete(announced.keys().next().value as string);
      runs.delete(runId);
    },
    mayReadRun,
    /** @throws AppError DENIED */
    assertMayReadRun(reader: Reader, runId: string): void {
      if (mayReadRun(reader, runId)) return;
      throw new AppError(
        "DENIED",
        "This run used a personal credential of another user: only its participants and admins can read it",
      );
    },
  };
}
