import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { onTestFinished } from "vitest";

interface Code {
  challenge: string;
  nonce: string;
  redirectUri: string;
}

export const CLIENT = { id: "toolroom", secret: "client-secret-of-the-test" };

/** An OpenID provider on loopback: discovery, keys, authorization code with PKCE, RS256. It signs everyone in at once. */
export async function startOpenIdProvider() {
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
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", base());
    state.requests.push(`${request.method} ${url.pathname}`);
    const json = (status: number, body: object) =>
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
        return await exchange(request, json);
      case "/userinfo":
        return json(200, { sub: state.claims.sub, ...state.userInfo });
      default:
        return json(404, {});
    }
  }

  async function exchange(request: IncomingMessage, json: (status: number, body: object) => void): Promise<void> {
    let text = "";
    for await (const chunk of request) text += chunk;
    const form = new URLSearchParams(text);
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const basic = `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString("base64")}`;
    const posted = form.get("client_id") === CLIENT.id && form.get("client_secret") === CLIENT.secret;
    const isClient = state.methods.includes("client_secret_post") ? posted : request.headers.authorization === basic;
    if (!isClient) return json(401, { error: "invalid_client" });
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (code === undefined || code.challenge !== challenge || code.redirectUri !== form.get("redirect_uri")) {
      return json(400, { error: "invalid_grant" });
    }
    const payload = { iss: base(), aud: CLIENT.id, nonce: code.nonce, ...state.claims, ...state.forged };
    const idToken = await new SignJWT(payload)
      .setProtectedHeader({ alg: "RS256", kid: "1" })
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign((state.signsWithForeignKey ? foreign : trusted).privateKey);
    json(200, { token_type: "Bearer", access_token: "access", id_token: idToken });
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
  onTestFinished(stop);
  return { issuer: base(), state, stop, start: () => listen(port) };
}
