import { createHash, randomBytes, verify } from "node:crypto";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";

/**
 * An OAuth authorization server and an MCP server that it protects, on loopback ports of their own: RFC 9728 and 8414
 * metadata, dynamic registration, authorization codes with PKCE, client credentials, refresh. `GET /authorize` consents at
 * once. Run by itself it prints the MCP server's address.
 *
 * @typedef {object} Behaviour What may be changed while it runs.
 * @property {number} expiresInSeconds of access tokens
 * @property {boolean} rotate a refresh token is good for one use; a second use ends the sign-in
 * @property {boolean} denyConsent
 * @property {string | null} callbackIssuer another `iss` than its own for the callback
 * @property {string | null} metadataIssuer another `issuer` than its own in the metadata
 * @property {number} tokenStatus anything but 200 is what the token endpoint answers to everything
 * @property {string[]} scopesSupported by the MCP server
 * @property {string[] | null} protectedMethods the MCP methods that require a token; null for all, `initialize` included
 * @property {Record<string, string>} scopeOf the scope that a method requires, beside the token
 * @property {boolean} grantsScopes false: tokens get no scope, whatever was asked for
 * @property {Record<string, unknown>} metadata overrides of the authorization server's metadata
 * @property {Record<string, unknown>} resourceMetadata overrides of the MCP server's metadata
 * @property {Record<string, unknown>} tokenExtras further members of token and registration answers
 * @property {number} registrationStatus anything but 201 is what a registration is answered
 * @property {{ client_id: string, client_secret?: string, public_key?: string }[]} clients registered by hand; one with a
 *   public key proves itself by a JWT that its private key signed
 * @property {{ issuer: string, authorization: AuthorizationServer } | null} movedTo another server of this kind, whose
 *   authorization server the MCP server now names and trusts
 *
 * @property {((assertion: string) => Promise<string | null>) | null} checkAssertion the user of an ID-JAG (jwt-bearer), null for
 *   one that is refused; absent: the grant is not supported
 * @property {((assertion: string) => boolean) | null} checkWorkload whether the JWT of a workload is trusted, which needs no
 *   client (jwt-bearer); absent: the grant is not supported
 * @property {((token: string) => Promise<string | null>) | null} checkToken the user of an access token that another
 *   authorization server issued, null for one that is refused; absent: only own tokens count
 *
 * @typedef {{ client: string, scope: string, expiresAt: number, family: string, user?: string }} Grant
 */

/** @returns {Behaviour} */
const defaultBehaviour = () => ({
  expiresInSeconds: 3600,
  rotate: true,
  denyConsent: false,
  callbackIssuer: null,
  metadataIssuer: null,
  tokenStatus: 200,
  scopesSupported: ["tools"],
  protectedMethods: null,
  scopeOf: {},
  grantsScopes: true,
  movedTo: null,
  metadata: {},
  resourceMetadata: {},
  tokenExtras: {},
  registrationStatus: 201,
  clients: [],
  checkAssertion: null,
  checkWorkload: null,
  checkToken: null,
});

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

const token = () => randomBytes(24).toString("base64url");

/** @param {import("node:http").Server} server @returns {Promise<string>} */
async function listen(server, port = 0) {
  await new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

/** @param {import("node:http").IncomingMessage} request */
async function readBody(request) {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

class AuthorizationServer {
  issuer = "";
  /** @type {{ path: string, grant: string | null, scope: string | null, status: number, headers: NodeJS.Dict<string | string[]> }[]} */
  log = [];
  /** @type {Map<string, { client_id: string, client_secret?: string, public_key?: string, redirect_uris?: string[] }>} */
  registered = new Map();
  /** @type {Map<string, { client: string, challenge: string, redirect: string, scope: string }>} */
  codes = new Map();
  /** @type {Map<string, Grant>} */
  access = new Map();
  /** The users of access tokens, also of expired ones. @type {Map<string, string>} */
  owners = new Map();
  /** @type {Map<string, Grant & { used: boolean }>} */
  refresh = new Map();

  /** @param {Behaviour} behaviour */
  constructor(behaviour) {
    this.behaviour = behaviour;
  }

  /** @type {import("node:http").RequestListener} */
  handle = async (request, response) => {
    const url = new URL(request.url ?? "/", this.issuer);
    const body = await readBody(request);
    const form = new URLSearchParams(url.pathname === "/token" ? body : "");
    /** @param {number} status @param {object} json @param {Record<string, string>} [headers] */
    const answer = (status, json, headers = {}) => {
      const grant = form.get("grant_type");
      this.log.push({ path: url.pathname, grant, scope: form.get("scope"), status, headers: request.headers });
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(json));
    };
    if (url.pathname === "/.well-known/oauth-authorization-server") return answer(200, this.metadata());
    if (url.pathname === "/register") return this.register(JSON.parse(body), answer);
    if (url.pathname === "/authorize") return this.authorize(url.searchParams, answer);
    if (url.pathname === "/token") return this.grant(form, request.headers.authorization, answer);
    answer(404, { error: "not_found" });
  };

  metadata() {
    return {
      issuer: this.behaviour.metadataIssuer ?? this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      registration_endpoint: `${this.issuer}/register`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
      authorization_response_iss_parameter_supported: true,
      ...this.behaviour.metadata,
    };
  }

  /** @param {{ redirect_uris?: string[] }} metadata @param {(status: number, json: object) => void} answer */
  register(metadata, answer) {
    const { registrationStatus, tokenExtras } = this.behaviour;
    if (registrationStatus !== 201) return answer(registrationStatus, { error: "access_denied" });
    const client = { ...metadata, client_id: `client-${token()}` };
    this.registered.set(client.client_id, client);
    answer(201, { ...tokenExtras, ...client });
  }

  /** @param {string | null} id */
  client(id) {
    return this.behaviour.clients.find(({ client_id }) => client_id === id) ?? this.registered.get(id ?? "");
  }

  /** @param {URLSearchParams} query @param {(status: number, json: object, headers?: Record<string, string>) => void} answer */
  authorize(query, answer) {
    const id = query.get("client_id") ?? "";
    const client = this.client(id);
    const redirect = query.get("redirect_uri") ?? "";
    if (client === undefined) return answer(400, { error: "invalid_client" });
    if ("redirect_uris" in client && !client.redirect_uris?.includes(redirect)) {
      return answer(400, { error: "invalid_request", error_description: "redirect_uri is not registered" });
    }
    const back = new URL(redirect);
    back.searchParams.set("state", query.get("state") ?? "");
    back.searchParams.set("iss", this.behaviour.callbackIssuer ?? this.issuer);
    if (this.behaviour.denyConsent) {
      back.searchParams.set("error", "access_denied");
      back.searchParams.set("error_description", "The person said no");
    } else {
      const code = token();
      const challenge = query.get("code_challenge") ?? "";
      this.codes.set(code, { client: id, challenge, redirect, scope: query.get("scope") ?? "" });
      back.searchParams.set("code", code);
    }
    answer(302, {}, { location: back.href });
  }

  /** @param {URLSearchParams} form @param {string | undefined} authorization @param {(status: number, json: object) => void} answer */
  grant(form, authorization, answer) {
    if (this.behaviour.tokenStatus !== 200) return answer(this.behaviour.tokenStatus, { message: "out of order" });
    const { checkWorkload } = this.behaviour;
    if (checkWorkload !== null) {
      const isTrusted = form.get("grant_type") === JWT_BEARER && checkWorkload(form.get("assertion") ?? "");
      const refusal = { error: "invalid_grant", error_description: `${form.get("assertion")} is not trusted` };
      return isTrusted
        ? answer(200, this.issue(form.get("client_id") ?? "workload", form.get("scope") ?? "", token(), false))
        : answer(400, refusal);
    }
    const basic = /^Basic (.+)$/.exec(authorization ?? "")?.[1];
    const [basicId, basicSecret] = basic === undefined ? [] : Buffer.from(basic, "base64").toString().split(":");
    const assertion = form.get("client_assertion");
    const id = basicId ?? (assertion === null ? form.get("client_id") : readClaims(assertion).sub);
    const client = this.client(id);
    const secret = basicSecret ?? form.get("client_secret") ?? undefined;
    const isKnown = client?.public_key ? this.isSigned(client, assertion) : client?.client_secret === secret;
    if (!id || client === undefined || !isKnown) return answer(401, { error: "invalid_client" });
    const type = form.get("grant_type");
    if (type === "client_credentials") return answer(200, this.issue(id, form.get("scope") ?? "", token(), false));
    if (type === "authorization_code") return this.exchange(id, form, answer);
    if (type === "refresh_token") return this.renew(id, form, answer);
    if (type === JWT_BEARER && this.behaviour.checkAssertion !== null) return this.letIn(id, form, answer);
    answer(400, { error: "unsupported_grant_type" });
  }

  /** @param {string} id @param {URLSearchParams} form @param {(status: number, json: object) => void} answer */
  async letIn(id, form, answer) {
    const user = (await this.behaviour.checkAssertion?.(form.get("assertion") ?? "")) ?? null;
    if (user === null)
      return answer(400, { error: "invalid_grant", error_description: "the assertion is not trusted" });
    const tokens = this.issue(id, form.get("scope") ?? "", token(), false);
    const grant = this.access.get(String(tokens.access_token));
    if (grant !== undefined) grant.user = user;
    this.owners.set(String(tokens.access_token), user);
    answer(200, tokens);
  }

  /** @param {{ client_id: string, public_key?: string }} client @param {string | null} assertion */
  isSigned({ client_id, public_key = "" }, assertion) {
    if (assertion === null) return false;
    const { iss, sub, aud, exp, alg } = readClaims(assertion);
    const signed = assertion.slice(0, assertion.lastIndexOf("."));
    const signature = assertion.split(".")[2] ?? "";
    const key = { key: public_key, dsaEncoding: /** @type {const} */ ("ieee-p1363") };
    const fits = iss === client_id && sub === client_id && aud === this.issuer && exp * 1000 > Date.now();
    const hash = `sha${alg.slice(2)}`;
    return fits && verify(hash, Buffer.from(signed), key, Buffer.from(signature, "base64url"));
  }

  /** @param {string} id @param {URLSearchParams} form @param {(status: number, json: object) => void} answer */
  exchange(id, form, answer) {
    const code = form.get("code") ?? "";
    const kept = this.codes.get(code);
    this.codes.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const good = kept?.client === id && kept.challenge === challenge && kept.redirect === form.get("redirect_uri");
    if (!good)
      return answer(400, { error: "invalid_grant", error_description: "code, verifier or redirect_uri is wrong" });
    answer(200, this.issue(id, kept.scope, token(), true));
  }

  /** @param {string} id @param {URLSearchParams} form @param {(status: number, json: object) => void} answer */
  renew(id, form, answer) {
    const kept = this.refresh.get(form.get("refresh_token") ?? "");
    if (kept?.used) this.revokeFamily(kept.family);
    if (kept === undefined || kept.used || kept.client !== id) {
      return answer(400, { error: "invalid_grant", error_description: "the refresh token is not good any more" });
    }
    kept.used = this.behaviour.rotate;
    answer(200, this.issue(id, kept.scope, kept.family, this.behaviour.rotate));
  }

  /** @param {string} client @param {string} wanted @param {string} family @param {boolean} withRefresh */
  issue(client, wanted, family, withRefresh) {
    const scope = this.behaviour.grantsScopes ? wanted : "";
    const expiresIn = this.behaviour.expiresInSeconds;
    const access = token();
    this.access.set(access, { client, scope, family, expiresAt: Date.now() + expiresIn * 1000 });
    const { tokenExtras } = this.behaviour;
    const tokens = {
      ...tokenExtras,
      access_token: access,
      token_type: "Bearer",
      expires_in: expiresIn,
      ...(scope ? { scope } : {}),
    };
    if (!withRefresh) return tokens;
    const refresh = token();
    this.refresh.set(refresh, { client, scope, family, expiresAt: 0, used: false });
    return { ...tokens, refresh_token: refresh };
  }

  /** @param {string} family */
  revokeFamily(family) {
    for (const grants of [this.access, this.refresh]) {
      for (const [key, grant] of grants) if (grant.family === family) grants.delete(key);
    }
  }

  /** All access tokens are as good as expired. */
  expireAccess() {
    this.access.clear();
  }

  revokeAll() {
    this.access.clear();
    this.refresh.clear();
  }

  /** @param {string | undefined} authorization @returns {Grant | null} */
  getGrant(authorization) {
    const grant = this.access.get(/^Bearer (.+)$/.exec(authorization ?? "")?.[1] ?? "");
    return grant !== undefined && grant.expiresAt > Date.now() ? grant : null;
  }
}

/** Header and claims of a JWT, unchecked. @param {string} token @returns {Record<string, any>} */
function readClaims(token) {
  const [header = "", payload = ""] = token.split(".");
  const read = (/** @type {string} */ part) => JSON.parse(Buffer.from(part, "base64url").toString());
  return { ...read(header), ...read(payload) };
}

/** Knows a token from then on that another authorization server issued. @param {AuthorizationServer} known @param {string} [header] */
async function trustForeignToken(known, header = "") {
  const token = header.replace("Bearer ", "");
  const user = await known.behaviour.checkToken?.(token);
  if (typeof user !== "string") return;
  known.access.set(token, { client: "foreign", scope: "", family: "", user, expiresAt: Date.now() + 60_000 });
  known.owners.set(token, user);
}

/** @param {Partial<Behaviour>} [given] @param {{ port?: number }} [options] the MCP server's port; any free one when absent */
export async function startOAuthServer(given = {}, { port = 0 } = {}) {
  const behaviour = { ...defaultBehaviour(), ...given };
  const authorization = new AuthorizationServer(behaviour);
  const authorizationHttp = createServer((request, response) => void authorization.handle(request, response));
  authorization.issuer = await listen(authorizationHttp);

  let origin = "";
  /** @type {(Grant | null)[]} */
  const mcpRequests = [];
  /** @type {{ user: string | undefined, args: any }[]} */
  const mcpCalls = [];
  const handler = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: "protected", version: "1.0.0" });
      server.registerTool("whoami", { description: "Says which client is signed in" }, () => ({
        content: [{ type: "text", text: JSON.stringify(mcpRequests.at(-1)) }],
      }));
      return server;
    }),
  );
  /** @param {import("node:http").IncomingMessage} request @param {import("node:http").ServerResponse} response */
  const handle = async (request, response) => {
    const metadataPath = "/.well-known/oauth-protected-resource/mcp";
    if (request.url === metadataPath) {
      const metadata = {
        resource: `${origin}/mcp`,
        authorization_servers: [behaviour.movedTo?.issuer ?? authorization.issuer],
        scopes_supported: behaviour.scopesSupported,
        ...behaviour.resourceMetadata,
      };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(metadata));
      return;
    }
    await trustForeignToken(authorization, request.headers.authorization);
    const grant = (behaviour.movedTo?.authorization ?? authorization).getGrant(request.headers.authorization);
    mcpRequests.push(grant);
    const body = request.method === "POST" ? JSON.parse(await readBody(request)) : undefined;
    const { protectedMethods, scopeOf } = behaviour;
    const isProtected = protectedMethods === null || protectedMethods.includes(body?.method);
    if (request.url !== "/mcp" || (isProtected && grant === null)) {
      const challenge = `Bearer error="invalid_token", resource_metadata="${origin}${metadataPath}"`;
      response.writeHead(401, { "www-authenticate": challenge }).end("sign in first");
      return;
    }
    const scope = scopeOf[body?.method];
    if (scope !== undefined && !grant?.scope.split(" ").includes(scope)) {
      const challenge = `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${origin}${metadataPath}"`;
      response.writeHead(403, { "www-authenticate": challenge }).end("more access, please");
      return;
    }
    if (body?.method === "tools/call") {
      const user = authorization.owners.get((request.headers.authorization ?? "").replace("Bearer ", ""));
      mcpCalls.push({ user, args: body.params.arguments });
    }
    await handler(request, response, body);
  };
  const mcpHttp = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  origin = await listen(mcpHttp, port);

  return {
    url: `${origin}/mcp`,
    issuer: authorization.issuer,
    behaviour,
    authorization,
    mcpRequests,
    mcpCalls,
    async close() {
      for (const server of [mcpHttp, authorizationHttp]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const server = await startOAuthServer({}, { port: Number(process.argv[2] ?? 0) });
  console.log(server.url);
}
