import { createOutgoingAgents, type OutgoingAgents } from "./outgoing-agents";
import { openRequest, readHeaders } from "./outgoing-request";
import type { OutgoingResponse } from "./outgoing-response";

export type OutgoingFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Statuses whose responses have no body. */
export const BODILESS = new Set([101, 204, 205, 304]);
/** Limit of unread data that is taken from the socket. */
const READ_AHEAD_BYTES = 64 * 1024;

/** Shared by all requests of embedding programs, which have no policy of their own. */
const LOCAL_AGENTS = createOutgoingAgents();

/** `fetch` to allowed addresses, for text bodies. Follows no redirects: each hop is a request, and checked, of its own. */
export function createOutgoingFetch(agents: OutgoingAgents = LOCAL_AGENTS): OutgoingFetch {
  return async (input, init = {}) => {
    const url = new URL(typeof input === "object" && "url" in input ? input.url : input);
    const headers = new Headers(init.headers);
    if (!headers.has("accept")) headers.set("accept", "*/*");
    const body = init.body === undefined || init.body === null ? null : String(init.body);
    const { method = "GET", signal } = init;
    const message = await openRequest(url, { method, headers, body, signal }, agents);
    return toResponse(url, message);
  };
}

function toResponse(url: URL, message: OutgoingResponse): Response {
  const status = message.statusCode ?? 0;
  if (status < 200 || status > 599) {
    message.destroy();
    throw new Error(`the status ${status} is none of HTTP`);
  }
  const isEmpty = BODILESS.has(status);
  if (isEmpty) message.resume();
  const headers = readHeaders(message);
  const init = { status, statusText: message.statusMessage ?? "", headers };
  const response = new Response(isEmpty ? null : streamBody(message), init);
  Object.defineProperty(response, "url", { value: url.href });
  return response;
}

function streamBody(message: OutgoingResponse): ReadableStream<Uint8Array<ArrayBuffer>> {
  let ended = false;
  return new ReadableStream(
    {
      start(controller) {
        const fail = (error: Error): void => {
          if (ended) return;
          ended = true;
          controller.error(error);
        };
        message.on("data", (chunk: Buffer<ArrayBuffer>) => {
          if (ended) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) message.pause();
        });
        message.on("end", () => {
          if (!ended) controller.close();
          ended = true;
        });
        message.on("error", fail);
        message.on("close", () => fail(new Error("the connection was terminated before the response was complete")));
      },
      pull: () => void message.resume(),
      cancel() {
        ended = true;
        message.destroy();
      },
    },
    { highWaterMark: READ_AHEAD_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
  );
}
