import { explainGroupLimit, type Principal } from "../../../lib/contract/access";
import type { LeftOutReason, ServedTool, ToolAnswer } from "../../../lib/contract/client";
import { TOOL_SEPARATOR } from "../../../lib/contract/tool-definition";
import { formatRelativeTime } from "../../../lib/format/relative-time";
import type { ServedView } from "../../engine/client-ports";
import type { StoredClientSession } from "./client-store";
import { type CatalogFacts, explainLimit, type KnownTool, type MissingTool } from "./missing-tools";
import { findNearestNames } from "./nearest-names";

/** The facts of the session that fetched a list last. */
export interface ExplainedSession {
  session: StoredClientSession;
  /** Null where it never fetched a list. */
  given: { tools: readonly ServedTool[]; at: number } | null;
  /** The current list; null where the address no longer serves anything. */
  view: ServedView | null;
  now: readonly ServedTool[];
  principal: Principal;
}

interface ExplainPorts {
  facts: CatalogFacts;
  /** Why the calls of a user to a server fail for want of credentials; null where they do not. */
  explainCredentials(server: string, userId: string): Promise<string | null>;
  /** Why every call is refused; null where calls may run. */
  callBarrier: string | null;
  time: number;
}

type Answer = Omit<ToolAnswer, "tool" | "nearest">;

const toolPage = (name: string): string => `/tools/${encodeURIComponent(name)}`;
const serverPage = (name: string): string => `/servers/${encodeURIComponent(name)}`;

/** Says in plain words why a client does not see a tool, or that it does. */
export async function explainTool(asked: string, known: ExplainedSession, ports: ExplainPorts): Promise<ToolAnswer> {
  const { facts, time } = ports;
  const { session, view } = known;
  const missing = facts.missing(session.actor.id);
  const tools = facts.tools();
  const name = findName(asked, known, [...tools, ...missing]);
  const inNow = known.now.find(({ tool }) => tool === name);
  const inGiven = known.given?.tools.find(({ tool }) => tool === name);
  const reply = (answer: Answer, nearest: string[] = []): ToolAnswer => ({ tool: name, ...answer, nearest });
  const byGroups = explainGroupLimit(known.principal.token, session.access.query.toolset, session.actor.name);
  if (byGroups !== null) {
    return reply({
      verdict: "limit",
      answer: `${byGroups}. ${session.address} is refused.`,
      wayOut:
        "Configure the client with one of these addresses, or change the toolsets of the groups in Settings → People.",
      link: "/settings/people",
    });
  }
  if (view === null) {
    return reply({
      verdict: "limit",
      answer: `The client uses ${session.address}, which is no longer served: the server or toolset of that name is gone.`,
      wayOut: "Configure the client with an address that the Clients page offers.",
      link: "/clients#connect",
    });
  }
  if (inNow !== undefined && inGiven !== undefined && known.given !== null) {
    const server = tools.find((tool) => tool.name === name)?.server ?? null;
    return reply(await explainListed({ ...known, given: known.given }, { ...ports, inNow, inGiven, name, server }));
  }
  if (inNow !== undefined) return reply(explainFetch(known, time));
  const gone =
    inGiven === undefined || known.given === null ? "" : `${describeGiven(known.given.at, time)} Since then: `;
  const absent = explainAbsent(name, { ...known, view }, { missing, tools });
  if (absent !== null) return reply({ ...absent, answer: gone + absent.answer });
  const others = missing.filter(({ kind }) => kind === "server").map(({ name: server }) => server);
  const nearest = findNearestNames(asked, new Set([...tools, ...missing].map((tool) => tool.name)));
  const unread = others.length === 0 ? "" : ` The tools of ${others.join(", ")} are not known yet.`;
  return reply(
    {
      verdict: "unknown",
      answer: `${gone}No tool has the name ${asked}, and no server lists it.${unread}`,
      wayOut: nearest.length === 0 ? "Look for it on the Tools page." : "Check the name: these are similar.",
      link: nearest.length === 0 ? "/tools" : null,
    },
    nearest,
  );
}

/** The catalog's name for what was asked: a name of the client's list, of the catalog, or a server's own name for a tool. */
function findName(asked: string, { given, now }: ExplainedSession, known: readonly KnownTool[]): string {
  const wanted = asked.trim();
  for (const list of [now, given?.tools ?? []]) {
    const found = list.find(({ name, tool }) => name === wanted || tool === wanted);
    if (found !== undefined) return found.tool;
  }
  const exact = known.find(({ name }) => name === wanted);
  if (exact !== undefined) return exact.name;
  const ends = known.filter(({ name }) => name.endsWith(TOOL_SEPARATOR + wanted));
  return ends.length === 1 && ends[0] !== undefined ? ends[0].name : wanted;
}

interface ListedTool extends ExplainPorts {
  inNow: ServedTool;
  inGiven: ServedTool;
  name: string;
  server: string | null;
}

async function explainListed(
  { given, session }: ExplainedSession & { given: NonNullable<ExplainedSession["given"]> },
  { inNow, inGiven, name, server, callBarrier, explainCredentials, time }: ListedTool,
): Promise<Answer> {
  const shown = `${describeGiven(given.at, time)}${inGiven.name === name ? "" : ` It is called ${inGiven.name} there.`}`;
  if (callBarrier !== null) {
    const wayOut = "Give the account a role, or the client a token, that may run tools.";
    return {
      verdict: "role",
      answer: `${shown} Its calls are refused: ${callBarrier}.`,
      wayOut,
      link: "/settings/people",
    };
  }
  const lacking = server === null ? null : await explainCredentials(server, session.actor.id);
  if (lacking !== null && server !== null) {
    const wayOut = `Connect the account of ${session.actor.name} on the server's page.`;
    return { verdict: "credentials", answer: `${shown} Its calls fail: ${lacking}`, wayOut, link: serverPage(server) };
  }
  const changed = inNow.hash === inGiven.hash ? "" : " Its description or schema has changed since.";
  return {
    verdict: "listed",
    answer: `${shown}${changed}`,
    wayOut: `If the client does not show it, look for a switch or a limit on the number of tools in ${session.name}, or restart it.`,
    link: toolPage(name),
  };
}

const describeGiven = (at: number, time: number): string =>
  `The client was given this tool with its last list, ${formatRelativeTime(at, time, "UTC")}.`;

function explainFetch({ session, given }: ExplainedSession, time: number): Answer {
  const wayOut = `Restart ${session.name}, or reconnect the server in it.`;
  if (given === null) {
    const answer = "The tool is in the list of this address, but the client has never fetched the list.";
    return { verdict: "fetch", answer, wayOut, link: null };
  }
  const { noticedAt } = session;
  const told =
    noticedAt !== null && noticedAt >= given.at
      ? `It was told that the list has changed (${formatRelativeTime(noticedAt, time, "UTC")}) and has not fetched it since.`
      : "It could not be told that the list has changed: it keeps no stream open for notifications.";
  const answer = `The tool is in the list now, but was not when the client fetched it last, ${formatRelativeTime(given.at, time, "UTC")}. ${told}`;
  return { verdict: "fetch", answer, wayOut, link: null };
}

interface Known {
  missing: readonly MissingTool[];
  tools: readonly KnownTool[];
}

function explainAbsent(
  name: string,
  { view, principal }: ExplainedSession & { view: ServedView },
  { missing, tools }: Known,
): Answer | null {
  const found =
    missing.find((tool) => tool.kind === "tool" && tool.name === name) ??
    missing.find(
      (tool) => tool.kind === "server" && (name === tool.name || name.startsWith(tool.name + TOOL_SEPARATOR)),
    );
  if (found !== undefined) return { verdict: found.reason, answer: `${found.detail}.`, ...findWayOut(found) };
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return null;
  if (view.find(name) !== undefined) {
    const answer = "The toolset offers it by search: clients find it with search_tools and call it with call_tool.";
    return { verdict: "limit", answer, wayOut: "Pin the tool in the toolset to list it.", link: "/toolsets" };
  }
  const { toolset } = view.query;
  return {
    verdict: "limit",
    answer: `${explainLimit(view, principal, tool)}.`,
    wayOut:
      principal.token !== null && !view.admits(name) && toolset === undefined
        ? "Use another token, or another address of the Clients page."
        : "Use an address that serves it, or change what this one serves.",
    link: toolset === undefined ? "/clients#connect" : `/toolsets/${encodeURIComponent(toolset)}`,
  };
}

const WAYS_OUT: Record<Exclude<LeftOutReason, "limit">, string> = {
  disabled: "Switch it on.",
  held: "Review the change on the server's page.",
  unusable: "The server has to list it differently: its page shows the entry.",
  not_connected: "Connect the server: its page says what is wrong.",
  role: "Give the account a role that may use it.",
  credentials: "Connect an account on the server's page.",
};

function findWayOut({ reason, server, name, kind }: MissingTool): Pick<Answer, "wayOut" | "link"> {
  const page = server === null || (reason === "disabled" && kind === "tool") ? toolPage(name) : serverPage(server);
  return { wayOut: reason === "limit" ? "" : WAYS_OUT[reason], link: page };
}
