import { discoverAuthorizationServerMetadata, type FetchLike } from "@modelcontextprotocol/client";
import { isPlainObject } from "../../../../lib/contract/json";
import { sameIssuer } from "../../../../lib/same-issuer";
import { ConnectionError } from "../session/connection-error";

const WELL_KNOWN = /\/\.well-known\/(oauth-authorization-server|openid-configuration|oauth-protected-resource)/;
const MAX_SERVERS = 5;

/**
 * Wraps the transport's `fetch`: in what servers and authorization servers say about sign-ins `null` counts as absent, and the
 * first authorization server that can be used is the first in the list.
 * @param acceptedIssuer the name that an editor accepts of an authorization server with another address
 */
export function readLeniently(fetchFn: FetchLike, serverUrl: URL, acceptedIssuer: string | undefined): FetchLike {
  const read: FetchLike = async (target, init) => {
    const response = await fetchFn(target, init);
    const url = new URL(target);
    const isJson = /[/+]json\b/i.test(response.headers.get("content-type") ?? "");
    if (!isJson || url.href === serverUrl.href) return response;
    const text = await response.text();
    const value = dropNulls(parseObject(text));
    const kind = WELL_KNOWN.exec(url.pathname)?.[1];
    if (response.ok && kind !== undefined && kind !== "oauth-protected-resource")
      assertIssuer(url, value, acceptedIssuer);
    const others = response.ok && value !== null ? value.authorization_servers : undefined;
    if (value !== null && Array.isArray(others) && typeof value.resource === "string") {
      value.authorization_servers = await putUsableFirst(others, read, acceptedIssuer !== undefined);
    }
    return rebuild(response, value === null ? text : JSON.stringify(value));
  };
  return read;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Members with null are left out, and null is left out of lists. */
function dropNulls(value: Record<string, unknown> | null): Record<string, unknown> | null {
  if (value === null) return null;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    kept.map(([name, member]) => [name, Array.isArray(member) ? member.filter((entry) => entry !== null) : member]),
  );
}

/** Checks the issuer here: with an accepted name the SDK's own check is off. */
function assertIssuer(
  { origin, pathname }: URL,
  metadata: Record<string, unknown> | null,
  accepted: string | undefined,
) {
  if (accepted === undefined) return;
  const expected = `${origin}${pathname.replace(WELL_KNOWN, "")}`;
  const issuer = String(metadata?.issuer ?? "");
  if (issuer === accepted || sameIssuer(issuer, expected)) return;
  throw new ConnectionError("failed", describeIssuerMismatch(expected, issuer));
}

export function describeIssuerMismatch(expected: string, named: string): string {
  return `The authorization server at ${expected} calls itself '${named.slice(0, 300)}': if that is the same service, enter this name as Accepted issuer under Edit`;
}

/** Removes entries that are not addresses, for which the SDK would discard the whole list. */
async function putUsableFirst(named: unknown[], fetchFn: FetchLike, skipIssuerValidation: boolean): Promise<string[]> {
  const servers = named.filter((entry): entry is string => typeof entry === "string" && URL.canParse(entry));
  if (servers.length < 2) return servers;
  for (const server of servers.slice(0, MAX_SERVERS)) {
    const discovery = discoverAuthorizationServerMetadata(server, { fetchFn, skipIssuerValidation });
    const found = await discovery.catch(() => undefined);
    if (found !== undefined) return [server, ...servers.filter((other) => other !== server)];
  }
  return servers;
}

function rebuild(response: Response, body: string): Response {
  const { status, statusText, headers, url } = response;
  const isEmpty = [204, 205, 304].includes(status);
  const rebuilt = new Response(isEmpty ? null : body, { status, statusText, headers });
  return Object.defineProperty(rebuilt, "url", { value: url });
}

/**
 * The resource to ask a token for: the one that the server's metadata names, as it is written there.
 * @throws Error where it is another server's
 */
export function chooseResource(server: string | URL, named: string | undefined): URL | undefined {
  if (named === undefined) return undefined;
  if (!URL.canParse(named))
    throw new Error(`The server's metadata names the resource '${named.slice(0, 300)}', which is no address`);
  const address = new URL(server);
  const resource = new URL(named);
  const path = address.pathname.replace(/\/*$/, "/");
  if (address.origin !== resource.origin || !path.startsWith(resource.pathname.replace(/\/*$/, "/"))) {
    throw new Error(
      `The server's metadata is for ${named.slice(0, 300)}, not for its address ${address.origin}${address.pathname}`,
    );
  }
  // Authorization servers compare texts, and a URL writes an address without a path with a slash.
  return Object.defineProperty(resource, "href", { value: named });
}
