import type { CassetteCall, CassetteContent } from "../../../lib/cassette/cassette-file";
import { countPlays, formatFigures } from "../../../lib/cassette/decide-play";
import type {
  CassetteCallItem,
  CassetteReport,
  CassetteSession,
  CassetteSummary,
} from "../../../lib/contract/cassette";
import { findMember } from "../../../lib/json/json-text";
import { TimeSlice } from "../../../lib/time-slice";
import { AppError } from "../../platform/shared/app-error";
import type { CassetteStore, PlayFacts, StoredCassette, StoredSession } from "./cassette-store";

const MAX_SESSIONS_SHOWN = 100;
const MAX_UNUSED_SHOWN = 500;

interface ReportPorts {
  store: CassetteStore;
  /** @throws AppError NOT_FOUND */
  find: (name: string) => Promise<StoredCassette>;
  readContent: (cassette: StoredCassette) => Promise<CassetteContent>;
}

/** The reports of a cassette's sessions: served, missed and unused recordings. */
export function createCassetteReports({ store, find, readContent }: ReportPorts) {
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

  return {
    toSummaries,

    /** Lists sessions, the newest first. */
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
        cassette: cassette.name,
        plays,
        unusedCalls: unused.slice(0, MAX_UNUSED_SHOWN),
      };
    },
  };
}

/** The recorded tools and calls, as pages show them. */
export function createCassetteContents({ find, readContent }: Pick<ReportPorts, "find" | "readContent">) {
  return {
    async calls(
      name: string,
      cursor = 0,
      limit = 100,
    ): Promise<{ items: CassetteCallItem[]; nextCursor: number | null }> {
      const { calls } = await readContent(await find(name));
      const slice = new TimeSlice();
      const items: CassetteCallItem[] = [];
      for (const [index, call] of calls.slice(cursor, cursor + limit).entries()) {
        items.push(toItem(call, cursor + index + 1));
        await slice.pause();
      }
      return { items, nextCursor: cursor + limit < calls.length ? cursor + limit : null };
    },

    tools: async (name: string) =>
      (await readContent(await find(name))).tools.map(({ entry, server }) => ({
        name: entry.name,
        server,
        title: typeof entry.title === "string" ? entry.title : null,
        description: typeof entry.description === "string" ? entry.description : "",
      })),
  };
}

const MAX_SHOWN_CHARS = 20_000;

/** Whether a member of a JSON text is `true`, without parsing what is beside it. */
function readFlag(text: string, name: string): boolean {
  const span = findMember(text, 0, name);
  return span !== null && text.slice(span.start, span.end) === "true";
}

function toItem(call: CassetteCall, number: number): CassetteCallItem {
  const { kind, name, server, argumentsText, outcomeText, failed, events } = call;
  const isFailure = !failed && kind === "tool" && readFlag(outcomeText, "isError");
  return {
    number,
    kind,
    name,
    server,
    argumentsText: argumentsText.slice(0, MAX_SHOWN_CHARS),
    outcomeText: outcomeText.slice(0, MAX_SHOWN_CHARS),
    outcome: failed ? "error" : isFailure ? "failure" : "result",
    events: events.length,
  };
}
