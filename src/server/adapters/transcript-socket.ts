import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { type Actor, explainDenial, isLimited, type Principal, type TranscriptQuery } from "../../lib/contract";
import type { TranscriptSegmentInput } from "../../lib/contract/transcript";
import { type createHostPolicy, judgeRequest } from "../../lib/http-guard";
import { type OnAccessChange, watchReader } from "../shared/watch-reader";
import { readTranscriptMessage } from "./transcript-messages";

export interface TranscriptSocketPorts {
  /** Who connects; null for nobody. Counts the request. @throws AppError */
  authenticate(request: IncomingMessage): Promise<Principal | null>;
  /** Who is connected now; null for nobody. @throws AppError */
  recheck(request: IncomingMessage): Promise<Principal | null>;
  onAccessChange?: OnAccessChange;
  /** Records a connection that is refused for want of rights. */
  onDenied?(denial: { by: Principal; action: string; error: string }): Promise<void>;
  /** @throws errors that `describe` explains */
  append(actor: Actor, id: string, segments: readonly TranscriptSegmentInput[]): Promise<{ seq: number }>;
  answers(
    id: string,
    lastId: string | null,
    signal: AbortSignal,
  ): AsyncIterable<{ id: string; query: TranscriptQuery }>;
  exists(id: string): Promise<boolean>;
  /** The message for the client; null for an internal error, which is logged. */
  describe(error: unknown): string | null;
  hostPolicy: ReturnType<typeof createHostPolicy>;
  logger: { error(fields: object, message: string): void };
  limits?: Partial<TranscriptSocketLimits>;
}

export interface TranscriptSocketLimits {
  connections: number;
  messageBytes: number;
  /** Queued messages of one connection at which reading from it pauses. */
  waitingMessages: number;
  /** Unsent answers at which a client is disconnected. */
  unsentBytes: number;
  pingMs: number;
  /** How often an open connection asks whether its client may still use it. */
  checkMs: number;
}

export interface TranscriptSocket {
  /** For `server.on("upgrade")`. False for a path that is not `/transcripts/<id>`: the socket is untouched. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Closes all connections; resolves within two seconds. */
  close(): Promise<void>;
  readonly connectionCount: number;
}

const LIMITS: TranscriptSocketLimits = {
  connections: 200,
  messageBytes: 1_048_576,
  waitingMessages: 32,
  unsentBytes: 4_194_304,
  pingMs: 30_000,
  checkMs: 10_000,
};
const GOODBYE_MS = 2000;
const GOING_AWAY = 1001;
const TRY_LATER = 1013;
const POLICY_VIOLATION = 1008;

/**
 * Transcripts over WebSocket, at `/transcripts/<id>`: segments in, answers out. `?after=<answer id>` sends the answers
 * since that one, `?after=0` all.
 */
export function createTranscriptSocket(ports: TranscriptSocketPorts): TranscriptSocket {
  const limits = { ...LIMITS, ...ports.limits };
  const server = new WebSocketServer({ noServer: true, maxPayload: limits.messageBytes, clientTracking: true });
  const alive = new WeakSet<WebSocket>();
  let closing = false;

  const pinging = setInterval(() => {
    for (const client of server.clients) {
      if (!alive.delete(client)) client.terminate();
      else client.ping();
    }
  }, limits.pingMs);
  pinging.unref();

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, id: string): Promise<void> {
    const refusal = judge(request, ports.hostPolicy);
    if (refusal !== null) return refuse(socket, refusal.status, refusal.message);
    if (closing) return refuse(socket, 503, "Toolroom is stopping");
    if (server.clients.size >= limits.connections) return refuse(socket, 503, "Too many connections: try again later");
    const principal = await ports.authenticate(request).catch((error: unknown) => refusalOf(error));
    if (principal !== null && "tooMany" in principal) return refuse(socket, 429, principal.tooMany);
    if (principal === null) return refuse(socket, 401, "Sign in, or send an API token: Authorization: Bearer <token>");
    const denial = findDenial(principal);
    if (denial !== null) {
      await ports.onDenied?.({ by: principal, action: "transcripts.append", error: denial });
      return refuse(socket, 403, denial);
    }
    if (!(await ports.exists(id))) return refuse(socket, 404, `There is no transcript '${id.slice(0, 100)}'`);
    const lastId = new URL(request.url ?? "/", "http://localhost").searchParams.get("after");
    server.handleUpgrade(request, socket, head, (client) => {
      alive.add(client);
      client.on("pong", () => alive.add(client));
      const { id: actorId, name } = principal;
      const stop = watchReader({
        userId: actorId,
        recheck: () => ports.recheck(request),
        onChange: ports.onAccessChange,
        permission: "run",
        checkMs: limits.checkMs,
        onLost: () => client.close(POLICY_VIOLATION, "Sign in again"),
      });
      client.once("close", stop);
      connect(client, { actor: { id: actorId, name }, id, lastId }, ports, limits);
    });
  }

  return {
    get connectionCount() {
      return server.clients.size;
    },
    handleUpgrade(request, socket, head) {
      const id = /^\/transcripts\/([\w-]{1,100})(?:\?|$)/.exec(request.url ?? "")?.[1];
      if (id === undefined) return false;
      // Never removed: the socket has no other error listener while a refusal is sent.
      socket.on("error", () => socket.destroy());
      upgrade(request, socket, head, id).catch((error: unknown) => {
        ports.logger.error({ err: error, transcriptId: id }, "A WebSocket could not be opened");
        refuse(socket, 500, "The connection could not be opened");
      });
      return true;
    },
    async close() {
      closing = true;
      clearInterval(pinging);
      const gone = Array.from(server.clients, (client) => new Promise((resolve) => client.once("close", resolve)));
      for (const client of server.clients) client.close(GOING_AWAY, "Toolroom is stopping");
      const cut = setTimeout(() => {
        for (const client of server.clients) client.terminate();
      }, GOODBYE_MS);
      await Promise.all(gone);
      clearTimeout(cut);
      server.close();
    },
  };
}

/** Segments start runs with any tool: a token that is limited to some may not send them. */
function findDenial(principal: Principal): string | null {
  const limited = principal.token !== null && isLimited(principal.token);
  return limited
    ? "This token is limited to tools: it may run these, and nothing else"
    : explainDenial(principal, "run");
}

/** The same check as the console's API calls: known host names, and no foreign origin. */
function judge({ headers }: IncomingMessage, policy: TranscriptSocketPorts["hostPolicy"]) {
  const single = (value: string | string[] | undefined): string | null =>
    (Array.isArray(value) ? value.join(",") : value) ?? null;
  const verdict = judgeRequest(
    {
      method: "GET",
      // Judged like an API path, which a foreign page must not call.
      pathname: "/api",
      host: single(headers.host),
      origin: single(headers.origin),
      secFetchSite: single(headers["sec-fetch-site"]),
      contentType: null,
    },
    policy,
  );
  return verdict.allowed ? null : verdict;
}

/** Null for a wrong token, which is treated like none. */
function refusalOf(error: unknown): { tooMany: string } | null {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === "TOO_MANY_REQUESTS" ? { tooMany: String(message) } : null;
}

const REASONS: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  421: "Misdirected Request",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

function refuse(socket: Duplex, status: number, message: string): void {
  const body = JSON.stringify({ error: { message } });
  const head = `HTTP/1.1 ${status} ${REASONS[status] ?? "Error"}\r\nconnection: close\r\ncontent-type: application/json\r\n`;
  // Otherwise the client decides how long the connection stays open.
  socket.once("finish", () => socket.destroy());
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function connect(
  client: WebSocket,
  { actor, id, lastId }: { actor: Actor; id: string; lastId: string | null },
  ports: TranscriptSocketPorts,
  limits: TranscriptSocketLimits,
): void {
  const gone = new AbortController();
  client.on("close", () => gone.abort());
  // A protocol error of the client closes its connection; nothing else to do.
  client.on("error", () => undefined);

  const send = (message: object): void => {
    if (client.readyState !== client.OPEN) return;
    if (client.bufferedAmount > limits.unsentBytes) client.close(TRY_LATER, "Responses are not accepted");
    else client.send(JSON.stringify(message));
  };
  const report = (error: unknown): void => {
    const message = ports.describe(error);
    if (message === null) ports.logger.error({ err: error, transcriptId: id }, "A transcript's WebSocket failed");
    send({ type: "error", message: message ?? "Something went wrong in the server; its log says what" });
  };

  let waiting = 0;
  let turn: Promise<void> = Promise.resolve();
  client.on("message", (data, isBinary) => {
    waiting += 1;
    if (waiting >= limits.waitingMessages) client.pause();
    turn = turn
      .then(() => take(data, isBinary))
      .catch(report)
      .finally(() => {
        waiting -= 1;
        if (waiting < limits.waitingMessages) client.resume();
      });
  });

  async function take(data: RawData, isBinary: boolean): Promise<void> {
    if (isBinary) return send({ type: "error", message: "Binary messages are not supported: send text" });
    const read = readTranscriptMessage(data.toString());
    if ("refusal" in read) return send({ type: "error", message: read.refusal });
    send({ type: "accepted", ...(await ports.append(actor, id, read.segments)) });
  }

  async function pushAnswers(): Promise<void> {
    for await (const answer of ports.answers(id, lastId, gone.signal)) {
      send({ type: "answer", id: answer.id, query: answer.query });
    }
    client.close(GOING_AWAY, "The transcript was deleted");
  }
  pushAnswers().catch(report);
}
