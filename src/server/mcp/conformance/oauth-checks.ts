import { randomBytes } from "node:crypto";
import { getMessage } from "../../../lib/get-message";
import { listensOnLoopback } from "../../../lib/http-guard/host-policy";
import { sameIssuer } from "../../../lib/same-issuer";
import { chooseResource } from "../client/oauth/lenient-metadata";
import { type CheckContext, type Finding, fail, type OwnCheck, pass, skip, warn } from "./check";
import type { PeerMessage } from "./exchange";
import { buildOpening, describeAnswer, getResult } from "./peer";

const REQUIRED = ["issuer", "authorization_endpoint", "token_endpoint", "response_types_supported"];
const ENDPOINTS = ["authorization_endpoint", "token_endpoint", "registration_endpoint"];
const QUOTED_CHARS = 200;

const quote = (text: string): string => `'${text.slice(0, QUOTED_CHARS)}'`;

/** Runs a check of a server that demands a token. */
const whereDemanded =
  (work: (context: CheckContext) => Promise<Finding> | Finding): OwnCheck["run"] =>
  (context) => {
    if (context.transport === "stdio") return skip("The server speaks over its standard streams, not HTTP");
    return context.demandsToken ? work(context) : skip("The server answers without a token");
  };

/** Runs a check of what the authorization server says about itself. */
const withServer = (work: (server: PeerMessage, issuer: string) => Finding): OwnCheck["run"] =>
  whereDemanded(({ discovery: { server, issuer } }) =>
    server === null || issuer === null
      ? skip("No metadata of an authorization server was found")
      : work(server, issuer),
  );

/** Sends an opening with this token in place of the stored credentials. */
async function sendToken({ exchange, peer }: CheckContext, token: string) {
  const opening = buildOpening(peer?.session.kind ?? "session");
  const headers = { ...opening.headers, authorization: `Bearer ${token}` };
  return await exchange.send({ ...opening, headers, signed: false });
}

async function expectRefusal(context: CheckContext, token: string, what: string): Promise<Finding> {
  const answer = await sendToken(context, token);
  if (answer.status === 401) return pass;
  return getResult(answer) !== null && answer.status < 300
    ? fail(`The server accepted ${what}`)
    : fail(`${what} was answered with ${describeAnswer(answer)}: use 401`);
}

export const OAUTH_CHECKS: readonly OwnCheck[] = [
  {
    id: "oauth/unauthorized",
    group: "oauth",
    title: "A request without a token is refused with 401",
    run: whereDemanded(({ anonymous }) =>
      anonymous?.status === 401
        ? pass
        : fail(`Answered with ${anonymous === null ? "nothing" : describeAnswer(anonymous)}: clients sign in at 401`),
    ),
  },
  {
    id: "oauth/challenge",
    group: "oauth",
    title: "The refusal names the metadata of the protected resource",
    run: whereDemanded(({ anonymous, discovery }) => {
      const header = anonymous?.headers.get("www-authenticate") ?? "";
      if (!/^\s*bearer\b/i.test(header)) return fail("There is no WWW-Authenticate header with the scheme Bearer");
      if (discovery.namedMetadata !== null) return pass;
      return warn("WWW-Authenticate has no resource_metadata: clients have to guess the address");
    }),
  },
  {
    id: "oauth/resource-metadata",
    group: "oauth",
    title: "The metadata of the protected resource names an authorization server (RFC 9728)",
    run: whereDemanded(({ discovery: { resource, issuer } }) => {
      if (resource === null)
        return fail("No metadata was found where the server names it, nor at its well-known address");
      if (issuer === null) return fail("authorization_servers is missing or empty");
      return URL.canParse(issuer) ? pass : fail(`The authorization server ${quote(issuer)} is no address`);
    }),
  },
  {
    id: "oauth/resource",
    group: "oauth",
    title: "The resource indicator is the address of the server (RFC 8707)",
    run: whereDemanded(({ exchange, discovery: { resource } }) => {
      if (resource === null) return skip("No metadata of the protected resource was found");
      const named = resource.metadata.resource;
      if (typeof named !== "string") return fail("resource is missing");
      if (named.includes("#")) return fail(`resource ${quote(named)} has a fragment`);
      try {
        chooseResource(exchange.url, named);
        return pass;
      } catch (error) {
        return fail(getMessage(error));
      }
    }),
  },
  {
    id: "oauth/server-metadata",
    group: "oauth",
    title: "The authorization server publishes its metadata (RFC 8414)",
    run: whereDemanded(({ discovery: { issuer, server } }) => {
      if (issuer === null || !URL.canParse(issuer)) return skip("No authorization server is named");
      if (server === null) return fail(`${quote(issuer)} publishes no metadata at its well-known addresses`);
      const missing = REQUIRED.filter((name) => server[name] === undefined);
      return missing.length === 0 ? pass : fail(`Missing in the metadata: ${missing.join(", ")}`);
    }),
  },
  {
    id: "oauth/issuer",
    group: "oauth",
    title: "The authorization server has the name by which it was found",
    run: withServer((server, named) => {
      if (typeof server.issuer !== "string") return skip("The metadata has no issuer");
      if (sameIssuer(server.issuer, named)) return pass;
      return fail(
        `It calls itself ${quote(server.issuer)}, the resource names ${quote(named)}: clients refuse to sign in`,
      );
    }),
  },
  {
    id: "oauth/pkce",
    group: "oauth",
    title: "The authorization server supports PKCE with S256",
    run: withServer(({ code_challenge_methods_supported: methods }) => {
      if (Array.isArray(methods) && methods.includes("S256")) return pass;
      return fail("code_challenge_methods_supported lacks S256: clients refuse to sign in");
    }),
  },
  {
    id: "oauth/registration",
    group: "oauth",
    title: "Clients can introduce themselves: a client ID metadata document or dynamic registration",
    run: withServer((server) => {
      const hasRegistration = typeof server.registration_endpoint === "string";
      if (server.client_id_metadata_document_supported === true || hasRegistration) return pass;
      return warn("Neither is supported: each client has to be registered by hand");
    }),
  },
  {
    id: "oauth/secure-endpoints",
    group: "oauth",
    title: "The endpoints of the authorization server use HTTPS",
    run: withServer((server) => {
      const open = ENDPOINTS.filter((name) => isOpenAddress(server[name]));
      return open.length === 0 ? pass : fail(`Without HTTPS: ${open.join(", ")}`);
    }),
  },
  {
    id: "oauth/invalid-token",
    group: "oauth",
    title: "A token that was never issued is refused with 401",
    run: whereDemanded((context) =>
      expectRefusal(context, randomBytes(24).toString("base64url"), "a token that was never issued"),
    ),
  },
  {
    id: "oauth/audience",
    group: "oauth",
    title: "A token for another resource is refused with 401",
    run: whereDemanded(async (context) => {
      if (context.requestForeignToken === null)
        return skip("A token for another resource can be requested with client credentials only");
      const token = await context.requestForeignToken();
      if (token === null) return pass;
      return await expectRefusal(context, token, "a token for another resource");
    }),
  },
];

/** Programs of one machine may speak without TLS. */
function isOpenAddress(value: unknown): boolean {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol !== "https:" && !listensOnLoopback(hostname);
}
