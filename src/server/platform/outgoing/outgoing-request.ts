import { setMaxListeners } from "node:events";
import http from "node:http";
import https from "node:https";
import type { OutgoingAgents } from "./outgoing-agents";
import { ACCEPT_ENCODING, decodeResponse, type OutgoingResponse } from "./outgoing-response";

interface OutgoingRequest {
  method: string;
  /** A plain object has names in lower case. */
  headers: Headers | Record<string, string>;
  body: string | Buffer | null;
  signal?: AbortSignal | null | undefined;
}

/** Proxies that compress hold the events of a stream back until enough of them are there. */
const STREAM_ONLY = "text/event-stream";

/** The one function that opens connections over HTTP; asks for compressed bodies and decodes them, follows no redirects. @throws TypeError for other protocols */
export async function openRequest(
  url: URL,
  { method, headers, body, signal }: OutgoingRequest,
  agents: OutgoingAgents,
): Promise<OutgoingResponse> {
  const { protocol } = url;
  if (protocol !== "http:" && protocol !== "https:") throw new TypeError(`'${protocol}' addresses are not supported`);
  if (signal?.aborted) throw signal.reason;
  const sent = headers instanceof Headers ? Object.fromEntries(headers) : headers;
  if (body !== null) sent["content-length"] = String(Buffer.byteLength(body));
  sent["accept-encoding"] ??= sent.accept === STREAM_ONLY ? "identity" : ACCEPT_ENCODING;
  const client = protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    const request = client.request(url, { method, headers: sent, agent: agents[protocol] });
    // One signal may serve all requests of a connection, so the warning is switched off.
    if (signal) setMaxListeners(0, signal);
    let message: OutgoingResponse | null = null;
    const abort = (): void => {
      const error = abortError(signal?.reason);
      message?.destroy(error);
      request.destroy(error);
    };
    signal?.addEventListener("abort", abort, { once: true });
    request.on("close", () => signal?.removeEventListener("abort", abort));
    request.on("error", reject);
    request.on("response", (received) => {
      try {
        message = method === "HEAD" ? received : decodeResponse(received);
        resolve(message);
      } catch (error) {
        received.destroy();
        reject(error);
      }
    });
    request.end(body ?? undefined);
  });
}

function abortError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException("This operation was aborted", "AbortError");
}

export function readHeaders({ rawHeaders }: Pick<OutgoingResponse, "rawHeaders">): Headers {
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
  }
  return headers;
}
