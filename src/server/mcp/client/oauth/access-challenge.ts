import { extractWWWAuthenticateParams, type FetchLike } from "@modelcontextprotocol/client";

/** The `WWW-Authenticate` header of a 401 or 403 response. */
export interface AccessChallenge {
  resourceMetadataUrl: URL | undefined;
  scope: string | undefined;
}

/**
 * Wraps the transport's `fetch` and reports each challenge of the MCP server itself; authorization servers answer at other
 * addresses, and their refusals are not challenges.
 */
export function watchChallenges(
  fetchFn: FetchLike,
  serverUrl: URL,
  onChallenge: (challenge: AccessChallenge) => void,
): FetchLike {
  return async (target, init) => {
    const response = await fetchFn(target, init);
    if (new URL(target).href === serverUrl.href && isChallenge(response)) {
      const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
      onChallenge({ resourceMetadataUrl, scope });
    }
    return response;
  };
}

function isChallenge(response: Response): boolean {
  if (response.status === 401) return true;
  return response.status === 403 && extractWWWAuthenticateParams(response).error === "insufficient_scope";
}

function splitScopes(scope: string | undefined): string[] {
  return (scope ?? "").split(/\s+/).filter(Boolean);
}

/** Whether `requested` includes every scope in `demanded`; false when nothing is demanded. */
export function coversScope(requested: string | undefined, demanded: string | undefined): boolean {
  const known = new Set(splitScopes(requested));
  const scopes = splitScopes(demanded);
  return scopes.length > 0 && scopes.every((scope) => known.has(scope));
}
