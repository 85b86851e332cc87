import { createSecretToken, hashToken } from "./one-time-token";

/** The prefix of access tokens of MCP clients, by which secret scanners and our own masking find them. */
export const ACCESS_TOKEN_PREFIX = "trc_";

/** The options of the auth library that let MCP clients sign in at an origin. */
export const createClientSignIn = (origin: string) => ({
  origin,
  consentPage: "/oauth/consent",
  tokenPrefix: ACCESS_TOKEN_PREFIX,
  createToken: () => createSecretToken(),
  hashToken,
});

/** The address of the gateway, and of the one server or toolset in `/mcp/<server>` and `/mcp/sets/<name>`. */
const MCP_PATH = /^\/mcp(?:\/((?:sets\/)?[^/?]+))?\/?$/;

/** The server of a path of the gateway, or `sets/<name>`; null for all of them; undefined for a path that is not the gateway's. */
export function readMcpPath(path: string): string | null | undefined {
  const match = MCP_PATH.exec(path);
  if (match === null) return undefined;
  const [, segment] = match;
  if (segment === undefined) return null;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Whether a token for these addresses may be used at a path: it is for that path, or for all of `/mcp`. */
export function isForPath(resources: readonly string[], origin: string, path: string): boolean {
  const wanted = readMcpPath(path);
  if (wanted === undefined) return false;
  return resources.some((resource) => {
    if (!resource.startsWith(`${origin}/`)) return false;
    const server = readMcpPath(resource.slice(origin.length));
    return server === null || (server !== undefined && server === wanted);
  });
}
