import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { AddressPolicy } from "../../platform/outgoing/address-policy";
import { createOutgoingAgents } from "../../platform/outgoing/outgoing-agents";
import { openRequest } from "../../platform/outgoing/outgoing-request";
import { type LoopbackServer, readBody, startLoopbackServer } from "./loopback-server";

interface ForwarderOptions {
  /** The server that is tested. */
  target: URL;
  addresses: AddressPolicy | undefined;
  credentials: () => Promise<Readonly<Record<string, string>>>;
}

/** Headers of one connection, and those that Node writes itself. */
const HOP_HEADERS = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * A loopback address that stands for the server: it adds the credentials, which the suite cannot send, and keeps the
 * suite to addresses that this Toolroom may connect to. Bodies pass as they are.
 */
export async function startForwarder({ target, addresses, credentials }: ForwarderOptions): Promise<LoopbackServer> {
  const agents = createOutgoingAgents(addresses);
  const server: LoopbackServer = await startLoopbackServer(async (request, response) => {
    const gone = new AbortController();
    // A response that was sent whole leaves its connection for the next request.
    response.once("close", () => {
      if (!response.writableFinished) gone.abort();
    });
    const body = await readBody(request);
    const headers = { ...(await credentials()), ...readRequestHeaders(request, server.url, target) };
    const method = request.method ?? "GET";
    const answer = await openRequest(
      target,
      { method, headers, body: body === "" ? null : body, signal: gone.signal },
      agents,
    );
    response.writeHead(answer.statusCode ?? 502, readResponseHeaders(answer.rawHeaders));
    await pipeOut(answer, response);
  });
  return {
    url: server.url,
    async close() {
      await server.close();
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** The suite takes the loopback address for the server's own: where it names it, the server's is meant. */
function readRequestHeaders({ headers }: IncomingMessage, own: URL, target: URL): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (HOP_HEADERS.has(name) || value === undefined) continue;
    kept[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  if (isOwnHost(kept.host, own)) delete kept.host;
  if (kept.origin !== undefined && isOwnHost(kept.origin.replace(/^https?:\/\//, ""), own)) kept.origin = target.origin;
  return kept;
}

const isOwnHost = (host: string | undefined, own: URL): boolean =>
  host === own.host || host === `localhost:${own.port}` || host === `[::1]:${own.port}`;

function readResponseHeaders(raw: readonly string[]): OutgoingHttpHeaders {
  const headers: Record<string, string[]> = {};
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? "").toLowerCase();
    if (!HOP_HEADERS.has(name)) headers[name] = [...(headers[name] ?? []), raw[index + 1] ?? ""];
  }
  return headers;
}

/** A peer that leaves ends the other side; neither is an error. */
async function pipeOut(from: NodeJS.ReadableStream, to: ServerResponse): Promise<void> {
  // Events of a stream must not wait for its first byte.
  to.flushHeaders();
  await pipeline(from, to).catch(() => undefined);
}
