import { isMcpScope, MCP_SCOPES } from "../../../lib/contract/connected-client";
import type { ConsentRequest } from "../../../lib/contract/connected-client-schema";
import type { AuthLibrary } from "./account-ports";
import { isDocumentId } from "./client-documents";
import type { ClientGrantStore } from "./client-grant-store";
import { GRANT_PROFILES, JWT_BEARER } from "./client-grants";
import { isLoopback } from "./client-registration";
import { readMcpPath } from "./client-tokens";
import { readPrivateScheme } from "./redirect-addresses";

export interface ClientMetadataPorts {
  auth: AuthLibrary;
  grants: Pick<ClientGrantStore, "findClient" | "findConsent">;
  /** Whether identity providers may let clients in. */
  takesAssertions: boolean;
  /** The origin of the public URL. */
  origin: string;
  /** The names that `/mcp/<server>` may have, and `sets/<name>` for every toolset. */
  serverNames(): readonly string[];
}

export type ClientMetadata = ReturnType<typeof createClientMetadata>;

const BASE = "/api/auth";
const RESOURCE_METADATA = "/.well-known/oauth-protected-resource";
const SERVER_METADATA = `/.well-known/oauth-authorization-server${BASE}`;
/** The published fields of the library's description. */
const PUBLISHED = new Set([
  "issuer",
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
  "scopes_supported",
  "response_types_supported",
  "response_modes_supported",
  "grant_types_supported",
  "code_challenge_methods_supported",
  "authorization_response_iss_parameter_supported",
]);

/** The metadata that clients read to find out how to sign in, and that users read of a requesting client. */
export function createClientMetadata(ports: ClientMetadataPorts) {
  const { auth, grants, origin, serverNames } = ports;

  function isServed(path: string): boolean {
    const server = readMcpPath(path);
    return server === null || (server !== undefined && serverNames().includes(server));
  }

  async function describeServer(): Promise<object | null> {
    const request = new Request(`${origin}${BASE}/.well-known/oauth-authorization-server`);
    const response = await auth.handle(request);
    if (response === null) return null;
    const described = (await response.json()) as { grant_types_supported?: string[] };
    const published = Object.entries(described).filter(([name]) => PUBLISHED.has(name));
    const assertions = {
      grant_types_supported: [...(described.grant_types_supported ?? []), JWT_BEARER],
      authorization_grant_profiles_supported: GRANT_PROFILES,
    };
    return {
      ...Object.fromEntries(published),
      ...(ports.takesAssertions ? assertions : {}),
      token_endpoint_auth_methods_supported: ["none"],
      client_id_metadata_document_supported: true,
    };
  }

  return {
    isServed,

    /** Where a client that may not use a path of the gateway reads how to sign in. */
    metadataUrl: (path: string): string => `${origin}${RESOURCE_METADATA}${isServed(path) ? path : "/mcp"}`,

    /** Answers `/.well-known/*`; null for unknown paths. */
    async describe(pathname: string): Promise<object | null> {
      if (pathname === SERVER_METADATA) return describeServer();
      if (!pathname.startsWith(RESOURCE_METADATA)) return null;
      // Clients of earlier protocols use the root path.
      const path = pathname.slice(RESOURCE_METADATA.length).replace(/\/$/, "") || "/mcp";
      if (!isServed(path)) return null;
      return {
        resource: `${origin}${path}`,
        authorization_servers: [`${origin}${BASE}`],
        scopes_supported: Object.keys(MCP_SCOPES),
        bearer_methods_supported: ["header"],
        resource_name: "Toolroom",
      };
    },

    /** Reads the request of a signed query for the consent page; null for a query that no client sent. */
    async readConsent(text: string, userId: string): Promise<ConsentRequest | null> {
      const query = new URLSearchParams(text);
      const redirect = query.get("redirect_uri") ?? "";
      const client = await grants.findClient(query.get("client_id") ?? "");
      if (client === null || !query.has("sig") || !URL.canParse(redirect)) return null;
      const { host, protocol } = new URL(redirect);
      const scheme = readPrivateScheme(redirect);
      const resources = query.getAll("resource");
      const [resource = ""] = resources;
      const scopes = (query.get("scope") ?? "").split(" ").filter(isMcpScope);
      const before = await grants.findConsent(userId, client.id);
      return {
        clientName: client.name,
        document: isDocumentId(client.id) ? client.id : null,
        host: host === "" ? protocol : host,
        loopback: isLoopback(redirect),
        scheme: scheme === null ? null : `${scheme}:`,
        redirect,
        scopes,
        server: readMcpPath(resource.slice(origin.length)) ?? null,
        before: before && {
          allowedAt: before.allowedAt,
          changed: {
            scopes: scopes.some((scope) => !before.scopes.includes(scope)),
            tools: resources.some((each) => !before.resources.includes(each)),
            address: !before.redirectUris.includes(redirect),
          },
        },
      };
    },
  };
}
