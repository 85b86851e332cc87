import type { Principal } from "../../../lib/contract/access";
import type { RegistryEntry } from "../../../lib/contract/registry";
import type { RegistryService } from "./registry-service";

const DEFAULT_LIMIT = 30;
const MAX_LIMIT = 100;
/** The headers that requests from the windows of Copilot and VS Code need. */
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, OPTIONS",
  "access-control-allow-headers": "Authorization, Content-Type",
};

interface RegistryRequest {
  reader: Principal | null;
  /** Why its token is invalid; null for a valid one, and without a token. */
  refusal: string | null;
  registry: Pick<RegistryService, "open">;
}

/** Answers `/v0.1/servers` and what is below it, as the MCP registry's API has it. */
export async function answerRegistry(
  request: Request,
  { reader, refusal, registry }: RegistryRequest,
): Promise<Response> {
  const url = new URL(request.url);
  // The name that the client used: the address of the socket is another one behind a proxy.
  const own = `${url.protocol}//${request.headers.get("host") ?? url.host}`;
  const { isPublic, entries } = await registry.open(own, reader);
  const headers: Record<string, string> = { "cache-control": "no-cache", ...(isPublic && CORS) };
  const answer = (status: number, body: object): Response => Response.json(body, { status, headers });
  const reject = (status: number, error: string): Response => answer(status, { error });
  const origin = request.headers.get("origin");
  // Another page in the same browser must not read what only members may.
  if (!isPublic && origin !== null && origin !== own)
    return reject(403, "Cross-origin requests need a public registry");
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers });
  if (request.method !== "GET" && request.method !== "HEAD") return reject(405, "The registry is read-only");
  // Clients send their own account's token along to a public registry.
  if (refusal !== null && !isPublic) return reject(401, refusal);
  if (entries === null) {
    if (reader !== null || isPublic) return reject(404, "This Toolroom serves no registry to you");
    headers["www-authenticate"] = "Bearer";
    return reject(401, "Send an API token: Authorization: Bearer <token>");
  }
  const [, version, kind, name, versions, wanted, ...rest] = url.pathname.replace(/\/$/, "").split("/");
  if (version !== "v0.1" || kind !== "servers" || rest.length > 0) return reject(404, "Not found: use /v0.1/servers");
  if (name === undefined) return listServers(url.searchParams, entries, answer, reject);
  const found = entries.find(({ server }) => server.name === decode(name));
  if (found === undefined || versions !== "versions") return reject(404, "Server not found");
  if (wanted === undefined) return answer(200, { servers: [found], metadata: { count: 1 } });
  const exact = decode(wanted);
  return exact === "latest" || exact === found.server.version ? answer(200, found) : reject(404, "Server not found");
}

function listServers(
  query: URLSearchParams,
  entries: readonly RegistryEntry[],
  answer: (status: number, body: object) => Response,
  reject: (status: number, error: string) => Response,
): Response {
  const limit = Number(query.get("limit") ?? DEFAULT_LIMIT);
  if (!Number.isInteger(limit) || limit < 1) return reject(400, "limit: must be a positive integer");
  const since = query.get("updated_since");
  const sinceMs = since === null ? null : Date.parse(since);
  if (Number.isNaN(sinceMs)) return reject(400, "updated_since: must be a time such as 2026-01-31T00:00:00Z");
  const version = query.get("version") ?? "latest";
  // VS Code asks for the next page of a search by its cursor alone.
  const [after = "", ...words] = Buffer.from(query.get("cursor") ?? "", "base64url")
    .toString()
    .split(" ");
  const search = query.get("search")?.toLowerCase() ?? words.join(" ");
  const matching = entries.filter(
    ({ server, _meta }) =>
      server.name > after &&
      server.name.toLowerCase().includes(search) &&
      (version === "latest" || server.version === version) &&
      (sinceMs === null || Date.parse(_meta["io.modelcontextprotocol.registry/official"].updatedAt) >= sinceMs),
  );
  const servers = matching.slice(0, Math.min(limit, MAX_LIMIT));
  const last = servers.at(-1)?.server.name;
  const isCut = matching.length > servers.length && last !== undefined;
  const nextCursor = isCut ? { nextCursor: Buffer.from(`${last} ${search}`).toString("base64url") } : {};
  return answer(200, { servers, metadata: { count: servers.length, ...nextCursor } });
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
