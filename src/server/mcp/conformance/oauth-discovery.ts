import { extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import type { Answer, Exchange, PeerMessage } from "./exchange";

/** How a server says where to sign in, read once for all checks. */
export interface Discovery {
  /** `resource_metadata` of the refusal; null without one. */
  namedMetadata: URL | null;
  /** RFC 9728; null where none was found. */
  resource: { url: URL; metadata: PeerMessage } | null;
  /** The first authorization server that the resource names; null without one. */
  issuer: string | null;
  /** RFC 8414, or OpenID Connect; null where none was found. */
  server: PeerMessage | null;
}

const RESOURCE = "oauth-protected-resource";
const SERVER = "oauth-authorization-server";
const OPENID = "openid-configuration";

export const NO_DISCOVERY: Discovery = { namedMetadata: null, resource: null, issuer: null, server: null };

/** Follows what the refusal names, else the well-known addresses. A document that cannot be had counts as none. */
export async function discover(exchange: Exchange, refusal: Answer): Promise<Discovery> {
  const namedMetadata = readNamedMetadata(refusal);
  const places = namedMetadata === null ? listResourcePlaces(exchange.url) : [namedMetadata];
  const resource = await findFirst(exchange, places);
  const servers = resource?.metadata.authorization_servers;
  const issuer = Array.isArray(servers) && typeof servers[0] === "string" ? servers[0] : null;
  const isAddress = issuer !== null && URL.canParse(issuer);
  const server = isAddress ? await findFirst(exchange, listServerPlaces(new URL(issuer))) : null;
  return { namedMetadata, resource, issuer, server: server?.metadata ?? null };
}

function readNamedMetadata({ status, headers }: Answer): URL | null {
  return extractWWWAuthenticateParams(new Response(null, { status, headers })).resourceMetadataUrl ?? null;
}

async function findFirst(exchange: Exchange, places: readonly URL[]) {
  for (const url of places) {
    const metadata = await exchange.getJson(url).catch(() => null);
    if (metadata !== null) return { url, metadata };
  }
  return null;
}

const trimPath = ({ pathname }: URL): string => pathname.replace(/\/+$/, "");

/** The path of the server comes behind the well-known part; a server at the root has one address only. */
function listResourcePlaces(server: URL): URL[] {
  const path = trimPath(server);
  const paths = path === "" ? [""] : [path, ""];
  return paths.map((each) => new URL(`/.well-known/${RESOURCE}${each}`, server.origin));
}

function listServerPlaces(issuer: URL): URL[] {
  const path = trimPath(issuer);
  const paths = [`/.well-known/${SERVER}${path}`, `/.well-known/${OPENID}${path}`, `${path}/.well-known/${OPENID}`];
  return [...new Set(paths)].map((each) => new URL(each, issuer.origin));
}
