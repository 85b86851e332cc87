// An OpenID provider on loopback as a program of its own: the package `oidc-provider`, with its development pages for
// sign-in and consent. The parent process changes its users, clients and keys by messages.
import { createServer } from "node:http";
import { createLocalJWKSet, exportJWK, generateKeyPair, importJWK, jwtVerify, SignJWT } from "jose";
import Provider, { errors } from "oidc-provider";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
const ACCESS = "urn:ietf:params:oauth:token-type:access_token";
/** The development pages load a font of another host, and let the browser look for an icon. */
const FONT = /@import url\([^)]*\);?/g;
const NO_ICON = '<link rel="icon" href="data:,">';

/** @typedef {{ sub: string, email: string, email_verified: boolean, name: string, groups: string[] }} User */

const state = {
  /** @type {Map<string, User>} */
  users: new Map(),
  /** @type {import("jose").JWK[]} the newest first, which signs */
  keys: [],
  /** @type {string[]} of Toolroom */
  redirectUris: ["http://127.0.0.1:1/unset"],
};

const server = createServer((request, response) => void current(request, response));
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
const address = server.address();
const issuer = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;

/** @param {string} kid */
async function createKey(kid) {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: "RS256", use: "sig" };
}

/** @param {string} resource */
const describeResource = (resource) => ({
  scope: "mcp:read mcp:run",
  audience: resource,
  accessTokenFormat: "jwt",
  accessTokenTTL: 300,
  jwt: { sign: { alg: "RS256" } },
});

/** @param {any} ctx */
async function exchangeToken(ctx) {
  const { params, client, provider } = ctx.oidc;
  const { subject_token: subject, audience, resource, scope, requested_token_type: wanted } = params;
  const checked = await jwtVerify(subject, createLocalJWKSet({ keys: state.keys.map(toPublic) }), { issuer }).catch(
    () => null,
  );
  const user = state.users.get(checked?.payload.sub ?? "");
  if (user === undefined) throw new errors.InvalidGrant("the subject token is of no user");
  if (wanted === ID_JAG) {
    const { sub, email, email_verified, name, groups } = user;
    const claims = {
      sub,
      email,
      email_verified,
      name,
      groups,
      resource,
      client_id: params.requested_client ?? client.clientId,
    };
    const token = await sign(claims, audience);
    ctx.body = { access_token: token, issued_token_type: ID_JAG, token_type: "N_A", expires_in: 300 };
    return;
  }
  const token = new provider.AccessToken({ accountId: user.sub, client, gty: "token_exchange", scope });
  token.resourceServer = new provider.ResourceServer(resource, describeResource(resource));
  const value = await token.save();
  ctx.body = { access_token: value, issued_token_type: ACCESS, token_type: "Bearer", expires_in: token.expiration };
}

/** @param {import("jose").JWK} key */
const toPublic = ({ kty, n, e, kid, alg, use }) => ({ kty, n, e, kid, alg, use });

/** An ID-JAG. @param {object} claims @param {string} audience */
async function sign(claims, audience) {
  const [key] = state.keys;
  return new SignJWT({ ...claims, jti: crypto.randomUUID() })
    .setProtectedHeader({ alg: "RS256", kid: key?.kid ?? "", typ: "oauth-id-jag+jwt" })
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime("5m")
    .sign(await importJWK(key ?? {}, "RS256"));
}

/** A provider reads keys and clients when it is created; sign-ins and grants stay in the memory of the process. */
function createProvider() {
  const provider = new Provider(issuer, {
    jwks: { keys: state.keys },
    cookies: { keys: ["cookie-key-of-the-journeys"] },
    clients: [
      {
        client_id: "toolroom",
        client_secret: "secret-of-toolroom-at-the-provider",
        redirect_uris: state.redirectUris,
        grant_types: ["authorization_code", "refresh_token", EXCHANGE],
      },
      {
        client_id: "cli",
        token_endpoint_auth_method: "none",
        application_type: "native",
        redirect_uris: ["http://127.0.0.1:45998/callback"],
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    findAccount: (/** @type {unknown} */ _ctx, /** @type {string} */ sub) => {
      const user = state.users.get(sub);
      return user && { accountId: sub, claims: () => user };
    },
    scopes: ["openid", "offline_access", "mcp:read", "mcp:run"],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    extraTokenClaims: (/** @type {unknown} */ _ctx, /** @type {{ accountId: string }} */ { accountId }) => {
      const { email, email_verified, name, groups } = state.users.get(accountId) ?? {};
      return { email, email_verified, name, groups };
    },
    features: {
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (/** @type {unknown} */ _ctx, /** @type {string} */ resource) =>
          describeResource(resource),
        useGrantedResource: () => true,
      },
    },
    ttl: { IdToken: 300, Session: 3600, Grant: 3600, Interaction: 600, RefreshToken: 3600, AccessToken: 300 },
  });
  provider.use(async (/** @type {{ body: unknown }} */ ctx, /** @type {() => Promise<void>} */ next) => {
    await next();
    if (typeof ctx.body === "string") ctx.body = ctx.body.replace(FONT, "").replace("<head>", `<head>${NO_ICON}`);
  });
  const parameters = ["subject_token", "subject_token_type", "requested_token_type", "audience", "resource", "scope"];
  provider.registerGrantType(EXCHANGE, exchangeToken, [...parameters, "requested_client"]);
  return provider.callback();
}

/**
 * @typedef {{ command: "addUser", value: User } | { command: "removeUser" | "allowRedirect" | "rotate", value: string }} Order
 * @param {Order} order
 */
async function perform({ command, value }) {
  switch (command) {
    case "addUser":
      state.users.set(value.sub, value);
      return;
    case "removeUser":
      state.users.delete(value);
      return;
    case "allowRedirect":
      state.redirectUris = [value];
      return;
    case "rotate":
      // Signs with a new key and publishes no other one.
      state.keys = [await createKey(value)];
  }
}

state.keys = [await createKey("first")];
let current = createProvider();
process.on("message", async (/** @type {Order & { id: number }} */ order) => {
  await perform(order);
  current = createProvider();
  process.send?.({ id: order.id });
});
process.on("disconnect", () => process.exit());
process.send?.({ issuer });
