import {
  type CassetteCall,
  type CassetteContent,
  formatCassette,
  MAX_CASSETTE_CALLS,
  MAX_CASSETTE_CHARS,
  parseCassette,
  parseLines,
} from "../../../lib/cassette/cassette-file";
import { countPlays, formatFigures } from "../../../lib/cassette/decide-play";
import { parseFaults } from "../../../lib/cassette/faults";
import type { Actor } from "../../../lib/contract/actor";
import type {
  CassetteCallItem,
  CassetteChoice,
  CassetteInput,
  CassettePreview,
  CassetteReport,
  CassetteSession,
  CassetteSummary,
  NewCassette,
} from "../../../lib/contract/cassette";
import type { LeftOutReason } from "../../../lib/contract/cassette-words";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { getServerName } from "../../../lib/contract/tool-definition";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { nameConflict } from "../../platform/shared/name-conflict";
import type { ExecutionStore, StoredFilter } from "../executions/execution-store";
import type { PersonalServers } from "../executions/private-calls";
import type { CallEventStore, CassetteStore, PlayFacts, StoredCassette, StoredSession } from "./cassette-store";
import { type FrozenCalls, freezeCalls } from "./freeze-calls";

export interface CassetteServicePorts {
  store: CassetteStore;
  events: CallEventStore;
  executions: Pick<ExecutionStore, "list" | "findMany">;
  /** Ids of calls that use a personal credential, among these. */
  findPrivate: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  personalServers: () => PersonalServers;
  /** The tools of the catalog. */
  tools: () => readonly ToolDefinition[];
  /** Calls that wait for a person to answer their server. */
  onChange: () => void;
}

export type CassetteService = ReturnType<typeof createCassetteService>;

const PAGE = 200;
const MAX_SESSIONS_SHOWN = 100;
const MAX_UNUSED_SHOWN = 500;

/** Recorded tools and calls, kept to be served in place of their servers. */
export function createCassetteService(ports: CassetteServicePorts) {
  const { store, events, executions, findPrivate, personalServers, tools, onChange } = ports;

  /** @throws AppError NOT_FOUND */
  async function find(name: string): Promise<StoredCassette> {
    const found = await store.find(name);
    if (found === null) throw new AppError("NOT_FOUND", `There is no cassette '${name}'`);
    return found;
  }

  async function readContent(cassette: StoredCassette): Promise<CassetteContent> {
    // The header is the first line of the file.
    return parseLines(await store.lines(cassette.id), 2);
  }

  /** The ids that a choice means, oldest first. @throws AppError for too many, or none */
  async function findIds({ ids, filter }: CassetteChoice): Promise<string[]> {
    if (ids !== undefined) return ids;
    if (filter === undefined) throw required("filter", "choose the calls: ids, or a filter");
    // Whom a text would find is not revealed: private calls are left out anyway.
    const asked: StoredFilter = { ...filter, readableBy: { id: "", ...personalServers() } };
    const found: string[] = [];
    let cursor: Awaited<ReturnType<typeof executions.list>>["nextCursor"] = null;
    do {
      const page = await executions.list(asked, { cursor: cursor ?? undefined, limit: PAGE });
      found.push(...page.items.map(({ id }) => id));
      if (found.length > MAX_CASSETTE_CALLS) {
        throw required("filter", `matches more than ${MAX_CASSETTE_CALLS} calls: narrow it`);
      }
      cursor = page.nextCursor;
    } while (cursor !== null);
    return found;
  }

  async function freeze({ choice, tools: which }: Pick<NewCassette, "choice" | "tools">): Promise<FrozenCalls> {
    const ids = await findIds(choice);
    const found = [];
    let bytes = 0;
    for (let at = 0; at < ids.length; at += PAGE) {
      const part = await executions.findMany(ids.slice(at, at + PAGE));
      bytes += part.reduce((sum, { storedBytes }) => sum + (storedBytes ?? 0), 0);
      if (bytes > MAX_CASSETTE_CHARS) {
        throw required(
          "choice",
          `these results are larger than ${MAX_CASSETTE_CHARS / 1_000_000} MB: choose fewer calls`,
        );
      }
      found.push(...part);
    }
    const inOrder = found.sort((left, right) => left.seq - right.seq);
    const servers = new Set(inOrder.flatMap(({ serverName }) => serverName ?? []));
    const others = which === "called" ? [] : tools().filter((tool) => servers.has(getServerName(tool) ?? ""));
    const known = inOrder.map(({ id }) => id);
    return freezeCalls({
      ...{ executions: inOrder, others },
      events: await events.find(known),
      hidden: await findPrivate(known),
    });
  }

  const toSession = (stored: StoredSession, callCount: number, plays: readonly PlayFacts[]): CassetteSession => {
    const { id, label, client, actor, startedAt, lastAt } = stored;
    const figures = countPlays(callCount, plays);
    return { id, label, client, actor, startedAt, lastAt, figures, line: formatFigures(figures) };
  };

  async function toSummaries(cassettes: readonly StoredCassette[]): Promise<CassetteSummary[]> {
    const newest = new Map((await store.newestSessions()).map((session) => [session.cassetteId, session]));
    const facts = await store.playFacts(cassettes.flatMap(({ id }) => newest.get(id)?.id ?? []));
    return cassettes.map(({ id, ...cassette }) => {
      const stored = newest.get(id);
      const session = stored && toSession(stored, cassette.callCount, facts.get(stored.id) ?? []);
      const lastSession = session && {
        id: session.id,
        lastAt: session.lastAt,
        line: session.line,
        misses: session.figures.misses,
      };
      return { ...cassette, lastSession: lastSession ?? null };
    });
  }

  const toSummary = async (cassette: StoredCassette): Promise<CassetteSummary> =>
    (await toSummaries([cassette]))[0] as CassetteSummary;

  function accept(input: CassetteInput): CassetteInput {
    const faults = parseFaults(input.settings.faults);
    if (typeof faults === "string") throw required("settings.faults", faults);
    return input;
  }

  async function add(
    actor: Actor,
    input: CassetteInput,
    frozen: Pick<FrozenCalls, "lines" | "servers" | "toolCount" | "callCount">,
  ) {
    const created = await store.create(accept(input), frozen, actor);
    onChange();
    return await toSummary(created);
  }

  return {
    list: async (): Promise<CassetteSummary[]> => toSummaries(await store.list()),
    get: async (name: string): Promise<CassetteSummary> => toSummary(await find(name)),

    /** Counts what a choice would freeze, and what it leaves out. */
    async preview(choice: Pick<NewCassette, "choice" | "tools">): Promise<CassettePreview> {
      const { toolCount, callCount, servers, leftOut } = await freeze(choice);
      return { toolCount, callCount, servers: [...servers], leftOut: toCounts(leftOut) };
    },

    async create(actor: Actor, { choice, tools: which, ...input }: NewCassette): Promise<CassetteSummary> {
      accept(input);
      if ((await store.find(input.name)) !== null) throw nameConflict("cassette", input.name);
      const frozen = await freeze({ choice, tools: which });
      if (frozen.callCount === 0) {
        const reasons = toCounts(frozen.leftOut).map(({ reason, count }) => `${count} ${reason.replaceAll("_", " ")}`);
        throw required(
          "choice",
          `no call can be recorded${reasons.length === 0 ? "" : ` (left out: ${reasons.join(", ")})`}`,
        );
      }
      return await add(actor, input, frozen);
    },

    /** Name, notes and how calls are matched; tools and calls never change. */
    async update(actor: Actor, name: string, input: CassetteInput, revision?: number): Promise<CassetteSummary> {
      const stored = await store.update(name, accept(input), { by: actor, revision });
      onChange();
      return await toSummary(stored);
    },

    async delete(_actor: Actor, name: string, revision?: number): Promise<{ name: string }> {
      await store.delete(name, revision);
      onChange();
      return { name };
    },

    /** The cassette as a file: the same cassette gives the same bytes. */
    async exportFile(name: string): Promise<string> {
      const cassette = await find(name);
      return formatCassette(cassette, await store.lines(cassette.id));
    },

    /** @param name in place of the name in the file */
    async import(actor: Actor, { text, name }: { text: string; name?: string | undefined }): Promise<CassetteSummary> {
      const { input, content, lines } = readFile(text);
      const named = { ...input, name: name ?? input.name };
      if ((await store.find(named.name)) !== null) throw nameConflict("cassette", named.name);
      const servers = [...new Set([...content.tools, ...content.calls].flatMap(({ server }) => server ?? []))].sort();
      return await add(actor, named, {
        lines,
        servers,
        toolCount: content.tools.length,
        callCount: content.calls.length,
      });
    },

    async calls(
      name: string,
      cursor = 0,
      limit = 100,
    ): Promise<{ items: CassetteCallItem[]; nextCursor: number | null }> {
      const { calls } = await readContent(await find(name));
      const items = calls.slice(cursor, cursor + limit).map((call, index) => toItem(call, cursor + index + 1));
      return { items, nextCursor: cursor + limit < calls.length ? cursor + limit : null };
    },

    tools: async (name: string) =>
      (await readContent(await find(name))).tools.map(({ entry, server }) => ({
        ...{ name: entry.name, server, title: typeof entry.title === "string" ? entry.title : null },
        description: typeof entry.description === "string" ? entry.description : "",
      })),

    /** The newest sessions first. */
    async sessions(name: string): Promise<CassetteSession[]> {
      const { id, callCount } = await find(name);
      const sessions = await store.sessions(id, MAX_SESSIONS_SHOWN);
      const facts = await store.playFacts(sessions.map((session) => session.id));
      return sessions.map((session) => toSession(session, callCount, facts.get(session.id) ?? []));
    },

    /** @param session an id or a label; the newest one when absent */
    async report(name: string, session?: string): Promise<CassetteReport> {
      const cassette = await find(name);
      const sessions = await store.sessions(cassette.id, MAX_SESSIONS_SHOWN);
      const found =
        session === undefined ? sessions[0] : sessions.find(({ id, label }) => id === session || label === session);
      if (found === undefined) {
        const which = session === undefined ? "was not used yet" : `has no session '${session}'`;
        throw new AppError("NOT_FOUND", `The cassette '${name}' ${which}`);
      }
      const plays = await store.plays(found.id);
      const used = new Set(plays.flatMap(({ outcome, recording }) => (outcome === "served" ? (recording ?? []) : [])));
      const { calls } = await readContent(cassette);
      const unused = calls.flatMap(({ name: tool, argumentsText }, index) =>
        used.has(index + 1) ? [] : [{ number: index + 1, name: tool, argumentsText: argumentsText.slice(0, 500) }],
      );
      return {
        ...toSession(found, cassette.callCount, plays),
        ...{ cassette: cassette.name, plays, unusedCalls: unused.slice(0, MAX_UNUSED_SHOWN) },
      };
    },
  };
}

const toCounts = (leftOut: ReadonlyMap<LeftOutReason, number>) =>
  Array.from(leftOut, ([reason, count]) => ({ reason, count }));

const required = (path: string, message: string): AppError =>
  invalidInput("The cassette is invalid: ", [{ path, message }]);

/** @throws AppError that names the line and the field */
function readFile(text: string): ReturnType<typeof parseCassette> {
  if (text.length > MAX_CASSETTE_CHARS + 100_000)
    throw required("text", `is larger than ${MAX_CASSETTE_CHARS / 1_000_000} MB`);
  try {
    return parseCassette(text);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "CassetteFileError") throw error;
    throw invalidInput("The cassette file cannot be read. ", [{ path: "", message: error.message }]);
  }
}

const MAX_SHOWN_CHARS = 20_000;

function toItem(call: CassetteCall, number: number): CassetteCallItem {
  const { kind, name, server, argumentsText, outcomeText, failed, events } = call;
  const isFailure = !failed && kind === "tool" && JSON.parse(outcomeText).isError === true;
  return {
    ...{ number, kind, name, server },
    argumentsText: argumentsText.slice(0, MAX_SHOWN_CHARS),
    outcomeText: outcomeText.slice(0, MAX_SHOWN_CHARS),
    outcome: failed ? "error" : isFailure ? "failure" : "result",
    events: events.length,
  };
}
