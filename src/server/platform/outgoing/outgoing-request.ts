import { setMaxListeners } from "node:events";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { OutgoingAgents } from "./outgoing-agents";

interface OutgoingRequest {
  method: string;
  /** Names in lower case where it is no `Headers`. */
  headers: Headers | Record<string, string>;
  body: string | Buffer | null;
  signal?: AbortSignal | null | undefined;
}

/** The one function that opens connections over HTTP; follows no redirects. @throws TypeError for other protocols */
export async function openRequest(
  url: URL,
  { method, headers, body, signal }: OutgoingRequest,
  agents: OutgoingAgents,
): Promise<IncomingMessage> {
  const { protocol } = url;
  if (protocol !== "http:" && protocol !== "https:") throw new TypeError(`'${protocol}' addresses are not supported`);
  if (signal?.aborted) throw signal.reason;
  const sent = headers instanceof Headers ? Object.fromEntries(headers) : headers;
  if (body !== null) sent["content-length"] = String(Buffer.byteLength(body));
  const client = protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    const request = client.request(url, { method, headers: sent, agent: agents[protocol] });
    // One signal may serve all requests of a connection.
    if (signal) setMaxListeners(0, signal);
    let message: IncomingMessage | null = null;
    const abort = (): void => {
      const error = abortError(signal?.reason);
      message?.destroy(error);
      request.destroy(error);
    };
    signal?.addEventListener("abort", abort, { once: true });
    request.on("close", () => signal?.removeEventListener("abort", abort));
    request.on("error", reject);
    request.on("response", (received) => {
      message = received;
      resolve(received);
    });
    request.end(body ?? undefined);
  });
}

function abortError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException("This operation was aborted", "AbortError");
}

export function readHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
  }
  return headers;
}
