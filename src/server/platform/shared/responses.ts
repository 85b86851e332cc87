import { stringifyWithDigits } from "../../../lib/json/number-digits";

export function toJsonResponse(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return Response.json(body ?? null, { status, headers: { "cache-control": "no-store", ...headers } });
}

/** Responds like `toJsonResponse`, with the digits of numbers as they were read. */
export const toExactResponse = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(stringifyWithDigits(body) ?? "null", {
    status,
    headers: { "cache-control": "no-store", "content-type": "application/json", ...headers },
  });

/** A proxy that collects or compresses a stream would hold its events back. */
export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/** How long a stream may be silent: proxies end connections on which nothing comes, mostly after a minute. */
export const HEARTBEAT_MS = 15_000;

/** The bytes of server-sent events that say nothing: sent at once, since a response has begun when its first byte comes. */
export const SSE_COMMENT = ":\n\n";

export function toDownloadHeaders(fileName: string, contentType: string): Record<string, string> {
  return {
    "content-type": contentType,
    "content-disposition": `attachment; filename="${fileName}"`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
}

/** The pieces as a response's body: read only as fast as the client does. @param onEnd called at the end, and when the client leaves */
export function toTextStream(pieces: AsyncIterable<string>, onEnd?: () => void): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (!done) return controller.enqueue(encoder.encode(value));
      onEnd?.();
      controller.close();
    },
    async cancel() {
      onEnd?.();
      await iterator.return?.();
    },
  });
}
