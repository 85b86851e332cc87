import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from "jose";

interface Code {
  challenge: string;
  nonce: string;
  redirectUri: string;
}

const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
const ACCESS = "urn:ietf:params:oauth:token-type:access_token";

type Json = (status: number, body: object) => void;

export const CLIENT = { id: "toolroom", secret: "client-secret-of-the-test" };

/** An OpenID provider on loopback: discovery, keys, authorization code with PKCE, RS256. It signs everyone in at once. */
export async function openIdProvider() {
  const trusted = await generateKeyPair("RS256", { extractable: true });
  const foreign = await generateKeyPair("RS256", { extractable: true });
  const codes = new Map<string, Code>();
  const state = {
    /** The claims of the user who is signed in at the provider. */
    claims: { sub: "1", email: "ada@example.org", email_verified: true, name: "Ada" } as JWTPayload,
    /** Over the claims of the token alone: `iss`, `aud`, `nonce` and so on. */
    forged: {} as JWTPayload,
    signsWithForeignKey: false,
    /** Only at the user info endpoint. */
    userInfo: {} as JWTPayload,
    issuer: null as string | null,
    methods: ["client_secret_basic"],
    requests: [] as string[],
    /** Refresh tokens are issued, and name the subject. */
    refreshes: false,
    idTokenSeconds: 300,
    /** Subjects whose sessions are revoked. */
    revoked: new Set<string>(),
    /** Answers token exchanges in place of the usual answer. */
    answerExchange: null as ((response: ServerResponse) => void) | null,
    /** Over the claims of each ID-JAG. */
    forgedGrant: {} as JWTPayload,
    /** Called with each token that it issues for another subject token. */
    onExchange: (_token: string, _subject: string, _form: URLSearchParams): void => undefined,
    /** The forms of token exchanges. */
    exchanges: [] as Record<string, string>[],
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", base());
    state.requests.push(`${request.method} ${url.pathname}`);
    const json: Json = (status, body) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json(200, {
          issuer: state.issuer ?? base(),
          authorization_endpoint: `${base()}/authorize`,
          token_endpoint: `${base()}/token`,
          userinfo_endpoint: `${base()}/userinfo`,
          jwks_uri: `${base()}/jwks`,
          token_endpoint_auth_methods_supported: state.methods,
        });
      case "/jwks":
        return json(200, { keys: [{ ...(await exportJWK(trusted.publicKey)), kid: "1", alg: "RS256", use: "sig" }] });
      case "/authorize": {
        const get = (name: string): string => url.searchParams.get(name) ?? "";
        const code = randomBytes(16).toString("base64url");
        const redirectUri = get("redirect_uri");
        codes.set(code, { challenge: get("code_challenge"), nonce: get("nonce"), redirectUri });
        const location = `${redirectUri}?${new URLSearchParams({ code, state: get("state"), iss: base() })}`;
        return void response.writeHead(302, { location }).end();
      }
      case "/token":
        return await exchange(request, response, json);
      case "/userinfo":
        return json(200, { sub: state.claims.sub, ...state.userInfo });
      default:
        return json(404, {});
    }
  }

  const sign = (claims: JWTPayload, typ: string, seconds: number, key = trusted.privateKey): Promise<string> =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", kid: "1", typ })
      .setIssuedAt()
      .setExpirationTime(Math.floor(Date.now() / 1_000) + seconds)
      .sign(key);

  /** RFC 8693: an ID token becomes an ID-JAG, or an access token that names its subject. */
  async function exchangeToken(form: URLSearchParams, response: ServerResponse, json: Json): Promise<void> {
    state.exchanges.push(Object.fromEntries(form));
    if (state.answerExchange !== null) return state.answerExchange(response);
    const claims = await jwtVerify(form.get("subject_token") ?? "", trusted.publicKey, { issuer: base() }).catch(
      () => null,
    );
    const subject = claims?.payload.sub;
    if (subject === undefined || state.revoked.has(subject)) {
      return json(400, { error: "invalid_grant", error_description: "the session was revoked" });
    }
    if (form.get("requested_token_type") !== ID_JAG) {
      const token = `exchanged-${subject}-${randomBytes(8).toString("base64url")}`;
      state.onExchange(token, subject, form);
      return json(200, { access_token: token, issued_token_type: ACCESS, token_type: "Bearer", expires_in: 300 });
    }
    const grant = {
      iss: base(),
      sub: subject,
      aud: form.get("audience") ?? "",
      resource: form.get("resource") ?? "",
      client_id: form.get("client_id") ?? CLIENT.id,
      jti: randomBytes(8).toString("base64url"),
      ...state.forgedGrant,
    };
    const token = await sign(grant, "oauth-id-jag+jwt", 300);
    json(200, { access_token: token, issued_token_type: ID_JAG, token_type: "N_A", expires_in: 300 });
  }

  const issue = async (claims: JWTPayload) => ({
    token_type: "Bearer",
    access_token: "access",
    id_token: await sign(
      claims,
      "JWT",
      state.idTokenSeconds,
      (state.signsWithForeignKey ? foreign : trusted).privateKey,
    ),
    ...(state.refreshes ? { refresh_token: `refresh-${claims.sub}` } : {}),
  });

  async function exchange(request: IncomingMessage, response: ServerResponse, json: Json): Promise<void> {
    let text = "";
    for await (const chunk of request) text += chunk;
    const form = new URLSearchParams(text);
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const basic = `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString("base64")}`;
    const posted = form.get("client_id") === CLIENT.id && form.get("client_secret") === CLIENT.secret;
    const isClient = state.methods.includes("client_secret_post") ? posted : request.headers.authorization === basic;
    if (!isClient) return json(401, { error: "invalid_client" });
    const type = form.get("grant_type");
    if (type === TOKEN_EXCHANGE) return await exchangeToken(form, response, json);
    if (type === "refresh_token") {
      const sub = (form.get("refresh_token") ?? "").replace("refresh-", "");
      if (!state.refreshes || state.revoked.has(sub)) return json(400, { error: "invalid_grant" });
      return json(200, await issue({ iss: base(), aud: CLIENT.id, sub, ...state.forged }));
    }
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (code === undefined || code.challenge !== challenge || code.redirectUri !== form.get("redirect_uri")) {
      return json(400, { error: "invalid_grant" });
    }
    const payload = { iss: base(), aud: CLIENT.id, nonce: code.nonce, ...state.claims, ...state.forged };
    json(200, await issue(payload));
  }

  const server = createServer((request, response) => void answer(request, response));
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  async function stop(): Promise<void> {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const base = (): string => `http://127.0.0.1:${port}`;
  /** The ID token of a user who signed in a moment ago. */
  const signIn = (sub: string, seconds = 300): Promise<string> =>
    sign({ iss: base(), aud: CLIENT.id, sub, jti: randomBytes(8).toString("hex") }, "JWT", seconds);
  /** The claims of a JWT that this provider signed. */
  const check = async (token: string): Promise<JWTPayload> => (await jwtVerify(token, trusted.publicKey)).payload;
  return { issuer: base(), state, stop, start: () => listen(port), signIn, check };
}
