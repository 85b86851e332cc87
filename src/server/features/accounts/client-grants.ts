import { explainDenial, type Principal } from "../../../lib/contract/access";
import type { RequestOrigin } from "../../../lib/contract/audit";
import { isMcpScope, MCP_SCOPES, type McpScope } from "../../../lib/contract/connected-client";
import type { ProvenGrant } from "../../../lib/contract/proven-identity";
import { getMessage } from "../../../lib/get-message";
import type { AuditLog } from "../audit/audit-log";
import { type ClientDocuments, isDocumentId } from "./client-documents";
import type { ClientGrantStore, RegisteredClient } from "./client-grant-store";
import { ACCESS_TOKEN_PREFIX, readMcpPath } from "./client-tokens";
import { formatIssuer, type IssuerUsers } from "./issuer-users";
import { createSecretToken, hashToken } from "./one-time-token";

export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** A value of the metadata: the assertions that the grant accepts. */
export const GRANT_PROFILES = ["urn:ietf:params:oauth:grant-profile:id-jag"];
const TOKEN_SECONDS = 10 * 60;

export interface ClientGrantPorts {
  /** @throws Error that says what is wrong with the assertion */
  checkGrant(assertion: string, audience: string): Promise<ProvenGrant>;
  users: Pick<IssuerUsers, "admit">;
  documents: Pick<ClientDocuments, "refresh">;
  grants: Pick<ClientGrantStore, "findClient" | "findConsent" | "addGranted">;
  audit: Pick<AuditLog, "record">;
  /** The origin of the public URL. */
  origin: string;
  isServed(path: string): boolean;
  now(): number;
}

export type ClientGrants = ReturnType<typeof createClientGrants>;

/** An error of RFC 6749, section 5.2. */
class GrantRefusal extends Error {
  override name = "GrantRefusal";

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The grant of RFC 7523 for an ID-JAG: an identity provider of the configuration signs a client in for a user, without a page.
 * The assertion names the client, is for this server alone and counts once, since clients here have no secrets.
 */
export function createClientGrants(ports: ClientGrantPorts) {
  const { grants, audit, origin, now } = ports;

  async function findClient(grant: ProvenGrant, named: string | null): Promise<RegisteredClient> {
    const { clientId } = grant;
    if (named !== null && named !== clientId) {
      throw new GrantRefusal("invalid_grant", "The assertion is for another client than client_id");
    }
    // The issuer vouches for the address, so that no user has to be signed in here.
    if (isDocumentId(clientId)) {
      await ports.documents.refresh(clientId, grant.issuer).catch((error: unknown) => {
        throw new GrantRefusal("invalid_client", getMessage(error));
      });
    }
    const client = await grants.findClient(clientId);
    if (client === null) throw new GrantRefusal("invalid_client", "The client that the assertion names is not known");
    return client;
  }

  function readResources({ resources }: ProvenGrant, asked: readonly string[]): string[] {
    const wanted = asked.length === 0 ? resources : asked;
    for (const resource of wanted) {
      const path = resource.startsWith(`${origin}/`) ? resource.slice(origin.length) : "";
      if (!resources.includes(resource) || readMcpPath(path) === undefined || !ports.isServed(path)) {
        throw new GrantRefusal("invalid_target", "The resource is no address of this server that the assertion names");
      }
    }
    return [...wanted];
  }

  async function issue(form: URLSearchParams, from: RequestOrigin): Promise<object> {
    const assertion = form.get("assertion") ?? "";
    const grant = await ports.checkGrant(assertion, `${origin}/api/auth`).catch((error: unknown) => {
      const isTemporary = error instanceof Error && error.name === "IssuerUnavailable";
      throw new GrantRefusal(isTemporary ? "temporarily_unavailable" : "invalid_grant", getMessage(error));
    });
    const resources = readResources(grant, form.getAll("resource"));
    const client = await findClient(grant, form.get("client_id"));
    const user = await ports.users.admit(grant, from).catch((error: unknown) => {
      throw new GrantRefusal("invalid_grant", getMessage(error));
    });
    const scopes = chooseScopes(grant.scopes, form.get("scope"), user.role);
    if (scopes.length === 0)
      throw new GrantRefusal(
        "invalid_scope",
        "None of the scopes is in the assertion, asked for and allowed by the user's role",
      );
    const before = await grants.findConsent(user.id, client.id);
    const token = createSecretToken();
    const isNew = await grants.addGranted({
      userId: user.id,
      clientId: client.id,
      scopes,
      resources,
      tokenHash: hashToken(token),
      createdAt: now(),
      expiresAt: now() + TOKEN_SECONDS * 1_000,
      // A tolerance for clocks after its end is part of the check.
      assertion: { hash: hashToken(`${grant.issuer} ${grant.id}`), expiresAt: grant.expiresAt + 60_000 },
    });
    if (!isNew) throw new GrantRefusal("invalid_grant", "The assertion was used before");
    if (before === null || scopes.some((scope) => !before.scopes.includes(scope))) {
      await audit.record({
        by: { id: user.id, name: user.name, token: null, origin: from },
        action: "client.allowed",
        outcome: "done",
        target: { kind: "client", name: client.name },
        after: { scopes, resources, with: formatIssuer(grant.issuer) },
      });
    }
    const access = `${ACCESS_TOKEN_PREFIX}${token}`;
    return { access_token: access, token_type: "Bearer", expires_in: TOKEN_SECONDS, scope: scopes.join(" ") };
  }

  /** Answers a request to the token endpoint. */
  return async (form: URLSearchParams, from: RequestOrigin): Promise<Response> => {
    const headers = { "cache-control": "no-store" };
    try {
      return Response.json(await issue(form, from), { headers });
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "GrantRefusal") throw error;
      const { code, message } = error as GrantRefusal;
      const status = code === "temporarily_unavailable" ? 503 : code === "invalid_client" ? 401 : 400;
      return Response.json({ error: code, error_description: message }, { status, headers });
    }
  };
}

/** Those of the assertion that were asked for and that the role allows; an assertion without scopes of ours allows all. */
function chooseScopes(allowed: readonly string[], asked: string | null, role: Principal["role"]): McpScope[] {
  const known = allowed.filter(isMcpScope);
  const wanted = (asked ?? "").split(" ").filter((scope) => scope !== "");
  const all = Object.keys(MCP_SCOPES) as McpScope[];
  return all.filter(
    (scope) =>
      (allowed.length === 0 || known.includes(scope)) &&
      (wanted.length === 0 || wanted.includes(scope)) &&
      explainDenial({ role, token: null }, MCP_SCOPES[scope]) === null,
  );
}
