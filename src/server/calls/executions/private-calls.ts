import { hasRole, type Role } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalMode } from "../../../lib/contract/approval";
import { explainApproverDenial, findApproverRule, joinModes } from "../../../lib/contract/approver";
import { type Bulletin, createTopic } from "../../platform/coordination/bulletin";
import { AppError } from "../../platform/shared/app-error";

export interface Reader {
  id: string;
  role: Role;
}

/** Names of servers with personal credentials: all, and those whose calls everyone may read. */
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
  /** The user for whom they run. */
  caller: string;
  /** True when the response is complete. */
  complete: boolean;
}

interface KnownCalls {
  /** Null where they could not be read, until they are read again. */
  owners: Answer<string[]> | null;
  callers: readonly string[];
  writing: readonly string[];
  written: readonly string[];
}

/** A value or a promise: SQLite answers at once, so that live events need not wait. */
export type Answer<T> = T | Promise<T>;

export interface PrivateCallStore {
  /** The calls, private or in a run, that belong to other users and that the reader did not decide. */
  hidden(ids: readonly string[], reader: string, servers: PersonalServers): Answer<HiddenCall[]>;
  /** The users who called private tools in a run or the runs it was rerun from, and the run's owner; null for none. */
  readersOfRun(runId: string, servers: PersonalServers): Answer<string[] | null>;
  ownersOfRun(runId: string): Answer<string[]>;
}

interface PrivateCallPorts {
  store: PrivateCallStore;
  servers: () => PersonalServers;
  approvalMode: (toolName: string) => ApprovalMode | null;
  now: () => number;
}

export type PrivateCalls = ReturnType<typeof createPrivateCalls>;

/** How long the readers of a run are remembered. */
const REMEMBERED_MS = 2000;
const MAX_REMEMBERED = 500;
/** Runs whose announced calls are known; the oldest are forgotten first. */
const MAX_ANNOUNCED = 5000;

/**
 * Who may read what calls with a user's own credential took and returned: that user, who may approve the call or
 * decided it, and admins. A run with such calls can be read by its owner, the callers and admins.
 */
export function createPrivateCalls({ store, servers, approvalMode, now }: PrivateCallPorts) {
  const runs = new Map<string, { readers: string[] | null; until: number }>();

  const announced = createAnnouncedCalls(store, servers);
  /** Counts what makes remembered readers wrong. */
  let changes = 0;

  const mayDecide = (reader: Reader, { status, toolName, actor, mode }: HiddenCall): boolean =>
    status === "waiting" &&
    hasRole(reader.role, "operator") &&
    explainApproverDenial(findApproverRule(joinModes(mode, approvalMode(toolName))), reader, actor) === null;

  function readersOfRun(runId: string): Answer<string[] | null> {
    const known = runs.get(runId);
    if (known !== undefined && known.until > now()) return known.readers;
    if (runs.size >= MAX_REMEMBERED) runs.clear();
    const knownAt = changes;
    return whenKnown(store.readersOfRun(runId, servers()), (stored) =>
      whenKnown(announced.readers(runId), (others) => {
        const found = [...(stored ?? []), ...others];
        const readers = found.length === 0 ? null : [...new Set(found)];
        // A call was announced or recorded while this was read.
        if (knownAt !== changes) return readersOfRun(runId);
        runs.set(runId, { readers, until: now() + REMEMBERED_MS });
        return readers;
      }),
    );
  }

  const mayReadRun = async (reader: Reader, runId: string): Promise<boolean> => {
    const readers = await readersOfRun(runId);
    return readers === null || hasRole(reader.role, "admin") || readers.includes(reader.id);
  };

  return {
    servers,
    /** The ids of those executions whose arguments and results the reader must not receive. */
    async hidden(reader: Reader, ids: readonly string[]): Promise<Set<string>> {
      if (hasRole(reader.role, "admin") || ids.length === 0) return new Set();
      const hidden = new Set<string>();
      for (const call of await store.hidden(ids, reader.id, servers())) {
        // The model's words in a private run, its later arguments included, repeat results.
        const isPrivate = call.private || (call.runId !== null && !(await mayReadRun(reader, call.runId)));
        if (isPrivate && !mayDecide(reader, call)) hidden.add(call.id);
      }
      return hidden;
    },
    /** The users who receive live events of a run, beside admins; undefined for all. */
    audienceOfRun: (runId: string): Answer<readonly string[] | undefined> =>
      whenKnown(readersOfRun(runId), (readers) => readers ?? undefined),
    /** Called after a call with a personal credential. */
    forgetRuns(): void {
      changes += 1;
      runs.clear();
    },
    /**
     * A model names the tools that it calls before the calls are recorded: a run is private from then on.
     * @returns whether there are private ones among those of the run
     */
    announce(runId: string, calls: AnnouncedCalls): boolean {
      if (!announced.add(runId, calls)) return false;
      changes += 1;
      runs.delete(runId);
      return true;
    },
    mayReadRun,
    /** @throws AppError DENIED */
    async assertMayReadRun(reader: Reader, runId: string): Promise<void> {
      if (await mayReadRun(reader, runId)) return;
      throw new AppError(
        "DENIED",
        "This run used a personal credential of another user: only its participants and admins can read it",
      );
    },
  };
}

/** Goes on at once where the answer is there. */
function whenKnown<T, Result>(answer: Answer<T>, use: (value: T) => Answer<Result>): Answer<Result> {
  return answer instanceof Promise ? answer.then(use) : use(answer);
}

/** The users who call tools in runs, known from before the calls are recorded. */
function createAnnouncedCalls(store: Pick<PrivateCallStore, "ownersOfRun">, servers: () => PersonalServers) {
  const announced = new Map<string, KnownCalls>();

  const onlyPrivate = (names: readonly string[]): string[] => {
    const { personal, open } = servers();
    return names.filter((name) => personal.includes(name) && !open.includes(name));
  };

  function readers(runId: string): Answer<readonly string[]> {
    const calls = announced.get(runId);
    if (calls === undefined || onlyPrivate([...calls.writing, ...calls.written]).length === 0) return [];
    calls.owners ??= readOwners(runId);
    return whenKnown(calls.owners, (owners) => [...owners, ...calls.callers]);
  }

  function readOwners(runId: string): Answer<string[]> {
    const owners = store.ownersOfRun(runId);
    if (owners instanceof Promise) {
      owners.catch(() => {
        const calls = announced.get(runId);
        if (calls?.owners === owners) calls.owners = null;
      });
    }
    return owners;
  }

  return {
    readers,
    /** @returns whether a tool of a private server is among those of the run */
    add(runId: string, { servers: called, caller, complete }: AnnouncedCalls): boolean {
      const known = announced.get(runId);
      const names = onlyPrivate(called);
      if (names.length === 0 && known === undefined) return false;
      const before = known ?? { owners: readOwners(runId), callers: [], writing: [], written: [] };
      announced.set(runId, {
        owners: before.owners,
        callers: [...new Set([...before.callers, caller])],
        writing: complete ? [] : [...new Set([...before.writing, ...names])],
        written: complete ? [...new Set([...before.written, ...names])] : before.written,
      });
      if (announced.size > MAX_ANNOUNCED) announced.delete(announced.keys().next().value as string);
      return true;
    },
  };
}

const ANNOUNCED = createTopic<{ runId: string; calls: AnnouncedCalls }>("private-calls.announced");
const FORGET = createTopic<null>("private-calls.forget");
/** Runs whose last announcement is known; the oldest are forgotten first. */
const MAX_TOLD = 1_000;

/** Tells the other instances of the server who may read a run, before its private calls are recorded. */
export function sharePrivateCalls(privateCalls: PrivateCalls, bulletin: Bulletin): PrivateCalls {
  const told = new Map<string, string>();
  bulletin.on(ANNOUNCED, ({ runId, calls }) => void privateCalls.announce(runId, calls));
  bulletin.on(FORGET, privateCalls.forgetRuns);
  return {
    ...privateCalls,
    announce(runId, calls) {
      const isPrivate = privateCalls.announce(runId, calls);
      const text = JSON.stringify(calls);
      // A response announces its calls again with each piece.
      if (!isPrivate || told.get(runId) === text) return isPrivate;
      told.delete(runId);
      told.set(runId, text);
      if (told.size > MAX_TOLD) told.delete(told.keys().next().value as string);
      bulletin.post(ANNOUNCED, { runId, calls });
      return isPrivate;
    },
    forgetRuns() {
      privateCalls.forgetRuns();
      bulletin.post(FORGET, null);
    },
  };
}
