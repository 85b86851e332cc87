import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../../../lib/contract/access";
import type { LiveEvent } from "../../../lib/contract/live-event";
import { type createHostPolicy, SECURITY_HEADERS } from "../../../lib/http-guard";
import { checkIncomingRequest } from "../../../lib/http-guard/host-policy";
import { type RequestHeaders, toHeaders } from "../../../lib/http-guard/request-headers";
import { EVENT_STREAM_HEADERS, SSE_COMMENT } from "../shared/responses";
import { isReader, type OnAccessChange, watchReader } from "../shared/watch-reader";

/** The parts of the event bus that a response needs. */
interface LiveStreams {
  open(
    lastEventId: string | null,
    sink: { write(message: Buffer): boolean; end(): void },
    reader?: Principal,
  ): { resume(): void; close(): void } | null;
}

export interface LiveEndpointPorts {
  hub: LiveStreams;
  access: {
    /** Whether users have accounts; otherwise everyone may read. */
    accounts: boolean;
    authenticate(headers: RequestHeaders): Promise<Principal | null>;
    /** Authenticates and counts the request. @throws AppError with the code TOO_MANY_REQUESTS */
    enter(headers: RequestHeaders): Promise<Principal | null>;
    onChange?: OnAccessChange;
  };
  hostPolicy: ReturnType<typeof createHostPolicy>;
  /** Counts the reading pages. */
  viewers?: { add(principal: Principal | null): () => void };
  /** Unsent bytes at which a client counts as too slow. */
  maxUnsentBytes?: number;
  /** How often an open stream asks whether its reader is still signed in. */
  checkMs?: number;
}

export interface LiveEndpoint {
  /** For server.mjs, which serves `/api/live` itself: a stream through Next costs several times as much. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Responds to requests that reach Next: all requests in `next dev`. Its guard has checked them. */
  respond(request: Request): Promise<Response>;
}

const MAX_UNSENT_BYTES = 4 * 1024 * 1024;
const MAX_ID_CHARS = 100;
const RETRY_AFTER_SECONDS = "15";
const STREAM_HEADERS = {
  ...EVENT_STREAM_HEADERS,
  ...Object.fromEntries(SECURITY_HEADERS),
};
/** Firefox takes a response for one that has not begun until its first byte comes. */
const FIRST_BYTES = Buffer.from(SSE_COMMENT);
/** Sent without an id: a page that signs in again reads what it missed. */
const SIGNED_OUT = `data: ${JSON.stringify([{ type: "signed_out" } satisfies LiveEvent])}\n\n`;
const JSON_HEADERS = { "content-type": "application/json", "cache-control": "no-store" };
const TOO_MANY = JSON.stringify({
  error: {
    code: "too_many_streams",
    message: "Too many live streams are open on this server. Close other tabs of the console, or try again later.",
  },
});

interface Refusal {
  status: number;
  message: string;
  headers?: Record<string, string>;
}
const SIGN_IN: Refusal = { status: 401, message: "Sign in to read live events" };

function createReaderDoor(access: LiveEndpointPorts["access"], checkMs: number | undefined) {
  /** Ends the stream of a reader who has been signed out, whose page then opens the sign-in page. */
  function watchAccess(reader: Principal, headers: RequestHeaders, onLost: () => void): () => void {
    return watchReader({
      userId: reader.id,
      recheck: () => access.authenticate(headers).then((found) => updateRole(reader, found)),
      onChange: access.onChange,
      checkMs,
      onLost,
    });
  }

  async function admit(headers: RequestHeaders): Promise<{ reader: Principal } | Refusal> {
    try {
      const principal = await access.enter(headers);
      return isReader(principal) ? { reader: { ...principal } } : SIGN_IN;
    } catch (error) {
      const { code, message, retryAfterSeconds } = error as Error & { code?: unknown; retryAfterSeconds?: number };
      if (code !== "TOO_MANY_REQUESTS") return SIGN_IN;
      return { status: 429, message, headers: { "retry-after": String(retryAfterSeconds ?? RETRY_AFTER_SECONDS) } };
    }
  }

  return { admit, watchAccess };
}

/** Live events as server-sent events. The last id comes in `Last-Event-ID` or in `?lastEventId=`. */
export function createLiveEndpoint(ports: LiveEndpointPorts): LiveEndpoint {
  const { hub, access, hostPolicy, viewers, maxUnsentBytes = MAX_UNSENT_BYTES, checkMs } = ports;
  const { admit, watchAccess } = createReaderDoor(access, checkMs);

  function open(request: IncomingMessage, response: ServerResponse, reader?: Principal): void {
    const header = request.headers["last-event-id"];
    let started = false;
    const start = (): void => {
      if (!started) response.writeHead(200, STREAM_HEADERS);
      started = true;
    };
    const stream = hub.open(
      idFrom(typeof header === "string" ? header : null, request.url ?? ""),
      {
        write(message) {
          start();
          response.write(message);
          return response.writableLength <= maxUnsentBytes;
        },
        end: () => {
          start();
          response.end();
          // A client that reads nothing would keep an ended response open.
          if (response.writableLength > maxUnsentBytes) response.destroy();
        },
      },
      reader,
    );
    if (stream === null) {
      response.writeHead(503, { ...JSON_HEADERS, "retry-after": RETRY_AFTER_SECONDS }).end(TOO_MANY);
      return;
    }
    start();
    response.write(FIRST_BYTES);
    response.on("drain", () => stream.resume());
    const { socket } = request;
    const leave = viewers?.add(reader ?? null);
    const close = (): void => {
      socket.off("close", close);
      leave?.();
      stream.close();
    };
    response.once("close", close);
    // A pipelined response behind another one receives no `close` event when the connection ends.
    socket.once("close", close);
  }

  return {
    handle(request, response) {
      const verdict = checkIncomingRequest(request, hostPolicy);
      if (!verdict.allowed) return rejectStream(response, verdict.status, verdict.message);
      if (request.method !== "GET") return rejectStream(response, 405, "Read live events with GET", { allow: "GET" });
      if (!access.accounts) return open(request, response);
      const headers = toHeaders(request);
      void admit(headers).then((admitted) => {
        if ("status" in admitted) return rejectStream(response, admitted.status, admitted.message, admitted.headers);
        const { reader } = admitted;
        response.once(
          "close",
          watchAccess(reader, headers, () => response.end(SIGNED_OUT)),
        );
        open(request, response, reader);
      });
    },
    respond: createResponder(ports),
  };
}

/** For what reaches Next, whose requests and responses have no socket. */
function createResponder({ hub, access, viewers, maxUnsentBytes = MAX_UNSENT_BYTES, checkMs }: LiveEndpointPorts) {
  const { admit, watchAccess } = createReaderDoor(access, checkMs);
  return async function respond({ headers, url }: Request): Promise<Response> {
    const admitted = access.accounts ? await admit(headers) : null;
    if (admitted !== null && "status" in admitted) {
      const { status, message, headers: more } = admitted;
      return Response.json({ error: { message } }, { status, headers: { ...JSON_HEADERS, ...more } });
    }
    const reader = admitted?.reader;
    let stream: ReturnType<LiveStreams["open"]> = null;
    let stopWatching: (() => void) | undefined;
    const leave = viewers?.add(reader ?? null);
    function close(): void {
      stopWatching?.();
      leave?.();
      stream?.close();
    }
    const lastId = idFrom(headers.get("last-event-id"), url);
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          const sink = {
            write(message: Buffer) {
              controller.enqueue(message);
              return (controller.desiredSize ?? 0) > 0;
            },
            end: () => controller.close(),
          };
          stream = hub.open(lastId, sink, reader);
          if (stream === null) return;
          controller.enqueue(FIRST_BYTES);
          if (reader === undefined) return;
          stopWatching = watchAccess(reader, headers, () => {
            close();
            controller.enqueue(Buffer.from(SIGNED_OUT));
            controller.close();
          });
        },
        pull: () => stream?.resume(),
        cancel: close,
      },
      new ByteLengthQueuingStrategy({ highWaterMark: maxUnsentBytes }),
    );
    if (stream !== null) return new Response(body, { headers: STREAM_HEADERS });
    leave?.();
    return new Response(TOO_MANY, { status: 503, headers: { ...JSON_HEADERS, "retry-after": RETRY_AFTER_SECONDS } });
  };
}

/** The stream selects events by the role of its reader. */
function updateRole(reader: Principal, found: Principal | null): Principal | null {
  if (found !== null) reader.role = found.role;
  return found;
}

function idFrom(header: string | null, url: string): string | null {
  const query = url.includes("?") ? new URLSearchParams(url.slice(url.indexOf("?"))) : null;
  return (header ?? query?.get("lastEventId") ?? null)?.slice(0, MAX_ID_CHARS) ?? null;
}

function rejectStream(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { ...JSON_HEADERS, ...headers }).end(JSON.stringify({ error: { message } }));
}
