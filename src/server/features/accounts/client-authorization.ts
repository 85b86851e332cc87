import { explainDenial, type Principal } from "../../../lib/contract/access";
import { isMcpScope, MCP_SCOPES, type McpScope } from "../../../lib/contract/connected-client";
import { getMessage } from "../../../lib/get-message";
import { createMutex } from "../../platform/shared/mutex";
import type { AuditLog } from "../audit/audit-log";
import { type Access, getOrigin } from "./access";
import type { AuthLibrary } from "./account-ports";
import { type ClientDocuments, isDocumentId } from "./client-documents";
import type { ClientGrantStore } from "./client-grant-store";
import { type ClientGrants, JWT_BEARER } from "./client-grants";
import { readRegistration } from "./client-registration";
import { readMcpPath } from "./client-tokens";

export interface ClientAuthorizationPorts {
  auth: AuthLibrary;
  access: Access;
  grants: ClientGrantStore;
  /** Clients whose id is the address of their metadata. */
  documents: Pick<ClientDocuments, "refresh">;
  /** Lets clients in by assertions of identity providers; null where no provider may. */
  assertions: ClientGrants | null;
  /** The origin of the public URL. */
  origin: string;
  /** Whether this is a path of the gateway. */
  isServed(path: string): boolean;
  /** Private-use schemes that clients may receive answers at, beside the known ones. */
  schemes: readonly string[];
  audit: Pick<AuditLog, "record">;
  /** Called after the library ended tokens: every instance of the server forgets what it remembers of them. */
  forgetTokens(): Promise<void>;
}

export type ClientAuthorization = ReturnType<typeof createClientAuthorization>;

const BASE = "/api/auth";
const AUTHORIZE = "/oauth2/authorize";
const MAX_TARGET_CHARS = 250;
const OFFLINE = "offline_access";

/** Lets MCP clients use the gateway in a user's name: what the auth library does for it, within our rules. */
export function createClientAuthorization(ports: ClientAuthorizationPorts) {
  const { access, grants, origin, isServed, audit } = ports;
  const forward = createForward(ports);
  const issueToken = createTokenRequests(ports, forward);

  async function authorize(request: Request): Promise<Response> {
    const query = new URL(request.url).searchParams;
    // These parameters demand another sign-in, which users decide on in the console.
    for (const name of ["max_age", "claims"]) query.delete(name);
    // A client's id is no secret: a code without a page would be one for any program that can open a browser.
    query.set("prompt", "consent");
    const session = await access.sessionId(request.headers);
    const clientId = query.get("client_id") ?? "";
    // Requires a signed-in user: others must not make this server send requests.
    if (session !== null && isDocumentId(clientId)) {
      const problem = await readClientDocument(request, clientId, session);
      if (problem !== null) return problem;
    }
    const client = await grants.findClient(clientId);
    const scopes = query.get("scope")?.trim() || Object.keys(MCP_SCOPES).join(" ");
    // Clients of SDK 1.x register for refresh tokens and do not ask for the scope that the library demands for them.
    query.set("scope", client?.refreshes === true ? withOffline(scopes) : scopes);
    if (!query.has("resource")) query.set("resource", `${origin}/mcp`);
    const path = `${AUTHORIZE}?${query}`;
    if (session === null) {
      const location = `/sign-in?to=${encodeURIComponent(`${BASE}${path}`)}`;
      return redirectTo(location);
    }
    for (const resource of query.getAll("resource")) {
      const asked = resource.startsWith(`${origin}/`) ? resource.slice(origin.length) : "";
      // Adds a served address, since the library refuses unknown ones.
      if (isServed(asked) && asked === toMcpPath(asked)) await grants.addResource(resource);
    }
    return forward(path, request);
  }

  /** @returns the page for a client whose document cannot be used; null for one that is known now */
  async function readClientDocument(request: Request, clientId: string, session: string): Promise<Response | null> {
    try {
      await ports.documents.refresh(clientId, session);
      return null;
    } catch (error) {
      const by = await access.authenticate(request.headers, "console");
      const target = { kind: "client", name: clientId.slice(0, MAX_TARGET_CHARS) };
      const refusal = { action: "client.refused", target, outcome: "denied" as const, error: getMessage(error) };
      if (by !== null) await audit.record({ by, ...refusal });
      return redirectTo("/oauth/consent?error=client_document");
    }
  }

  async function register(request: Request, body: Record<string, unknown>): Promise<Response> {
    const registration = readRegistration(body, ports.schemes);
    if ("error" in registration) return oauthError(400, registration.error, registration.description);
    const response = await forward("/oauth2/register", request, JSON.stringify(registration.body));
    if (!response.ok) return response;
    const registered = (await response.json()) as { client_id: string };
    await grants.setRedirects(registered.client_id, registration.redirectUris);
    const { status, headers } = response;
    return Response.json({ ...registered, redirect_uris: registration.redirectUris }, { status, headers });
  }

  /** A user can grant only what the user's role allows. */
  async function consent(request: Request, body: Record<string, unknown>): Promise<Response> {
    const user = await access.authenticate(request.headers, "console");
    if (user === null || user.token !== null) return oauthError(401, "login_required", "Sign in first");
    const query = new URLSearchParams(String(body.oauth_query ?? ""));
    const asked = (query.get("scope") ?? "").split(" ");
    const chosen = Array.isArray(body.scopes) ? body.scopes : asked;
    const granted = asked.filter((scope) => !isMcpScope(scope) || (chosen.includes(scope) && mayGrant(user, scope)));
    const accept = body.accept === true;
    if (accept && !granted.some(isMcpScope)) return oauthError(400, "invalid_scope", "Choose what the program may do");
    const decision = { accept, scope: granted.join(" "), oauth_query: body.oauth_query };
    const response = await forward("/oauth2/consent", request, JSON.stringify(decision));
    if (response.ok) {
      const client = await grants.findClient(query.get("client_id") ?? "");
      const redirect = query.get("redirect_uri") ?? "";
      if (accept && client !== null) await grants.addConsentRedirect(user.id, client.id, redirect);
      await audit.record({
        by: user,
        action: accept ? "client.allowed" : "client.denied",
        outcome: "done",
        target: { kind: "client", name: client?.name ?? "unknown" },
        after: accept
          ? { scopes: granted.filter(isMcpScope), resources: query.getAll("resource"), redirect }
          : undefined,
      });
      return response;
    }
    return oauthError(response.status, "invalid_request", "This request has expired: start again in the program");
  }

  return {
    /** Answers the part of `/api/auth/*` for MCP clients; null for the rest. */
    async handle(request: Request, text: string, body: Record<string, unknown>): Promise<Response | null> {
      const path = new URL(request.url).pathname.slice(BASE.length);
      switch (`${request.method} ${path}`) {
        case `GET ${AUTHORIZE}`:
          return await authorize(request);
        case "POST /oauth2/register":
          return await register(request, body);
        case "POST /oauth2/consent":
          return await consent(request, body);
        case "POST /oauth2/token":
          return await issueToken(request, text);
        case "POST /oauth2/revoke":
          try {
            return await forward(path, request, text);
          } finally {
            await ports.forgetTokens();
          }
        default:
          return null;
      }
    },
  };
}

type Forward = (path: string, request: Request, body?: string) => Promise<Response>;

/** Passes a request on to the auth library. */
function createForward({ auth, origin }: Pick<ClientAuthorizationPorts, "auth" | "origin">): Forward {
  return async (path, request, body) => {
    const headers = new Headers(request.headers);
    headers.delete("content-length");
    // Tokens that are bound to a key are not checked as such by the gateway.
    headers.delete("dpop");
    // The library answers scripts with JSON in place of a redirect.
    if (body === undefined) headers.set("sec-fetch-mode", "navigate");
    if (body?.startsWith("{")) headers.set("content-type", "application/json");
    const init = body === undefined ? { headers } : { method: "POST", headers, body };
    const response = await auth.handle(new Request(`${origin}${BASE}${path}`, init));
    if (response === null) throw new Error(`The auth library does not serve ${path}`);
    return asNeverStored(response);
  };
}

function createTokenRequests(
  { forgetTokens, assertions }: Pick<ClientAuthorizationPorts, "forgetTokens" | "assertions">,
  forward: Forward,
) {
  /**
   * Runs one at a time: of two requests with the same code, the second ends what the first one received. Instances of
   * the server take a code from the database: there, the second is refused.
   */
  const redeem = createMutex();

  return async (request: Request, text: string): Promise<Response> => {
    const body = new URLSearchParams(text);
    if (assertions !== null && body.get("grant_type") === JWT_BEARER) {
      return assertions(body, getOrigin(request.headers, "gateway"));
    }
    const scope = body.get("scope")?.trim();
    const narrows = body.get("grant_type") === "refresh_token" && scope !== undefined && scope !== "";
    // Without `offline_access`, the library would give the narrowed token no refresh token.
    if (narrows) body.set("scope", withOffline(scope));
    const response = await redeem(() => forward("/oauth2/token", request, narrows ? body.toString() : text));
    // A code or refresh token that is used twice ends the tokens that were given for it.
    if (!response.ok) await forgetTokens();
    return response;
  };
}

function redirectTo(location: string): Response {
  return new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });
}

function withOffline(scopes: string): string {
  return scopes.split(" ").includes(OFFLINE) ? scopes : `${scopes} ${OFFLINE}`;
}

/** The canonical form of an address for which tokens are issued. */
function toMcpPath(path: string): string {
  const server = readMcpPath(path);
  return typeof server === "string" ? `/mcp/${server.split("/").map(encodeURIComponent).join("/")}` : "/mcp";
}

function mayGrant({ role }: Principal, scope: McpScope): boolean {
  return explainDenial({ role, token: null }, MCP_SCOPES[scope]) === null;
}

/** The error response of RFC 6749, section 5.2. */
function oauthError(status: number, error: string, description: string): Response {
  return Response.json({ error, error_description: description }, { status, headers: { "cache-control": "no-store" } });
}

function asNeverStored(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set("cache-control", "no-store");
  const wait = headers.get("x-retry-after");
  if (wait !== null) headers.set("retry-after", wait);
  return new Response(response.body, { status: response.status, headers });
}
