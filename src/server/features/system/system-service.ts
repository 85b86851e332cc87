import type { Actor } from "../../../lib/contract/actor";
import type { DamagedKind, LoadProblem, LoadProblems } from "../../../lib/contract/catalog-tool";
import type { Pause } from "../../../lib/contract/pause";
import type { ServerState } from "../../../lib/contract/server-state";
import type { AccountMode, SystemInfo } from "../../../lib/contract/system-info";
import type { ExecutionLimits } from "../../engine/ports";
import { AppError } from "../../platform/shared/app-error";
import { takeProblems } from "../../platform/shared/take-problems";
import type { ServerPause } from "./pause";

/** The limit of one answer. */
const MAX_PROBLEMS = 100;
const PAGE_PROBLEMS = 50;

export interface SystemServicePorts {
  version: string;
  database: {
    /** The location for users. */
    location: string;
    /** Such as `SQLite 3.50.4 (node:sqlite)`. */
    product: string;
    /** The connections to PostgreSQL; null for a file. */
    route: { pooled: boolean; direct: boolean; sessions: boolean } | null;
    /** Bytes; null where it cannot be read. */
    size: () => Promise<number | null>;
    /** Returns the problem of the open database with the fix; null for none. */
    problem: () => string | null;
    /** Null where the database is on a server. */
    disk: () => {
      freeBytes: number | null;
      totalBytes: number | null;
      warning: string | null;
      refusesCalls: boolean;
    } | null;
    /** Lists the rows that were skipped. */
    damaged: () => LoadProblem[];
    /** @returns false where no row has the name */
    deleteDamaged: (kind: DamagedKind, name: string) => Promise<boolean>;
  };
  /** The processes of the server, the one that answers first; null where there can be one alone. */
  copies: () => {
    items: { name: string; version: string; startedAt: number; isDraining: boolean }[];
    /** How they tell each other what happens, and how long it took lately. */
    travel: { by: "notifications" | "polling"; lagMs: number };
  } | null;
  config: {
    path: string;
    exists: boolean;
    /** True when the example stands in because no configuration has been written yet. */
    usingExample: boolean;
    copyExample: string;
    modules: { path: string; builtins: string[]; internals: string[] }[];
  };
  limits: ExecutionLimits;
  handlers: () => { builtin: string[]; internal: string[] };
  counts: () => Promise<{ executions: number; replays: number; running: number; rebuilding: boolean }>;
  /** Whether users need accounts, and what decided it. */
  accountMode: () => Promise<AccountMode>;
  servers: { count: () => number; listProblems: () => readonly LoadProblem[] };
  /** True when something of this name is in use: the row was repaired since. */
  isLoaded: (kind: DamagedKind, name: string) => boolean;
  catalog: { count: () => number; listProblems: () => readonly LoadProblem[] };
  pause: Pick<ServerPause, "state" | "resume">;
  /** Called so that open pages show the change. */
  onResumed: () => void;
}

/** Describes this installation for the settings page and the first-run path. */
export function createSystemService(ports: SystemServicePorts) {
  const { config, database } = ports;
  const listProblems = (): LoadProblem[] => [
    ...ports.catalog.listProblems(),
    ...ports.servers.listProblems(),
    ...database.damaged(),
  ];
  return {
    /** Deletes a stored row that could not be read. */
    async deleteDamaged(_actor: Actor, { kind, name }: { kind: DamagedKind; name: string }): Promise<void> {
      const isListed = [...database.damaged(), ...ports.catalog.listProblems()].some(
        (row) => row.damaged === kind && row.name === name,
      );
      if (!isListed || ports.isLoaded(kind, name)) {
        throw new AppError("NOT_FOUND", `No stored ${kind} '${name}' is damaged: it was repaired or deleted`);
      }
      if (await database.deleteDamaged(kind, name)) return;
      throw new AppError("NOT_FOUND", `The damaged ${kind} '${name}' was already deleted`);
    },

    /** Makes this server the original: work that waited because the database is a copy begins. */
    async resume(_actor: Actor): Promise<Pause> {
      const resumed = await ports.pause.resume();
      ports.onResumed();
      return resumed;
    },

    /** The state of the server for programs. */
    async state(): Promise<ServerState> {
      return {
        version: ports.version,
        node: process.version,
        database: ports.database.product,
        databaseProblem: ports.database.problem(),
        diskWarning: ports.database.disk()?.warning ?? null,
        paused: ports.pause.state(),
        problems: listProblems()
          .slice(0, MAX_PROBLEMS)
          .map(({ name, error }) => ({ name, error })),
      };
    },

    /** A page of what could not be loaded. @param cursor how many the pages before had */
    problems(cursor: number): LoadProblems & { nextCursor: number | null } {
      const page = takeProblems(listProblems(), { start: cursor, most: PAGE_PROBLEMS });
      const end = cursor + page.items.length;
      return { ...page, nextCursor: end < page.count ? end : null };
    },

    async info(): Promise<SystemInfo> {
      const problems = takeProblems(listProblems());
      const { builtin, internal } = ports.handlers();
      return {
        version: ports.version,
        node: process.version,
        databaseUrl: ports.database.location,
        databaseProduct: ports.database.product,
        databaseRoute: ports.database.route,
        databaseProblem: ports.database.problem(),
        paused: ports.pause.state(),
        databaseBytes: await ports.database.size(),
        disk: ports.database.disk(),
        copies: ports.copies(),
        accountMode: await ports.accountMode(),
        configPath: config.path,
        configExists: config.exists,
        usingExample: config.usingExample,
        copyExample: config.copyExample,
        limits: ports.limits,
        handlers: { builtin, internal, modules: config.modules },
        counts: { tools: ports.catalog.count(), servers: ports.servers.count(), ...(await ports.counts()) },
        problems: problems.items,
        problemCount: problems.count,
      };
    },
  };
}
