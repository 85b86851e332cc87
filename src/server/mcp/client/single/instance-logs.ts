import type { ProtocolMessage, ServerLogLine } from "../../../../lib/contract/server";
import type { McpConnections } from "../../../engine/mcp-ports";
import type { Forwarding } from "../../../platform/coordination/forwarding";
import type { Instance } from "../../../platform/coordination/instances";
import { readLines } from "./read-lines";
import { type CallNews, SERVERS_PATH, type ServerRequest } from "./wire";

/** An instance that does not answer by then is left out. */
const LIMIT_MS = 1000;
/** In one millisecond, of one instance. */
const MAX_SEQ = 1000;

type Entry = ServerLogLine | ProtocolMessage;
export type LogKind = "log" | "messages";

/** The log lines of the connections of all instances, which pass them on without storing them. */
export interface InstanceLogs {
  log(server: string, user?: string): Promise<ServerLogLine[]>;
  messages(server: string, user?: string): Promise<ProtocolMessage[]>;
  /** A line of this instance as all instances show it. */
  mark(line: ServerLogLine): ServerLogLine;
}

/** By time, since the numbers of two instances are not comparable. */
const toSeq = ({ at, seq }: Entry): number => at * MAX_SEQ + (seq % MAX_SEQ);

const markLine = (line: ServerLogLine, { name }: Instance): ServerLogLine => ({
  ...line,
  seq: toSeq(line),
  text: `[${name}] ${line.text}`,
});

/** Ids of two instances' connections are other requests. */
const markMessage = (message: ProtocolMessage, { name }: Instance): ProtocolMessage => ({
  ...message,
  seq: toSeq(message),
  id: message.id === null ? null : `${message.id} (${name})`,
});

/** @param read this instance's */
export function createInstanceLogs(forwarding: Forwarding, read: Pick<McpConnections, LogKind>): InstanceLogs {
  const { copies } = forwarding;

  async function ask<T extends Entry>(copy: Instance, op: LogKind, server: string, user?: string): Promise<T[]> {
    const body = JSON.stringify({
      op,
      server,
      ...(user === undefined ? {} : { person: user }),
    } satisfies ServerRequest);
    const answer = await forwarding.open(copy, SERVERS_PATH, body, AbortSignal.timeout(LIMIT_MS));
    for await (const line of readLines(answer)) return ((JSON.parse(line) as CallNews).result ?? []) as T[];
    return [];
  }

  async function gather<T extends Entry>(
    { op, own, mark }: { op: LogKind; own: T[]; mark: (entry: T, copy: Instance) => T },
    server: string,
    user?: string,
  ): Promise<T[]> {
    const others = copies.list().filter(({ id }) => id !== copies.self.id);
    if (others.length === 0) return own;
    const asked = others.map(async (copy) => {
      const entries = await ask<T>(copy, op, server, user).catch(() => []);
      return entries.map((entry) => mark(entry, copy));
    });
    const all = [own.map((entry) => mark(entry, copies.self)), ...(await Promise.all(asked))].flat();
    return all.sort((one, other) => one.seq - other.seq);
  }

  return {
    log: (server, user) => gather({ op: "log", own: read.log(server, user), mark: markLine }, server, user),
    messages: (server, user) =>
      gather({ op: "messages", own: read.messages(server, user), mark: markMessage }, server, user),
    mark: (line) => (copies.list().length === 1 ? line : markLine(line, copies.self)),
  };
}
