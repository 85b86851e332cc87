import { constants } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { type FetchLike, type OAuthClientProvider, UnauthorizedError } from "@modelcontextprotocol/client";
import { isPlainObject } from "../../../../lib/contract/json";
import type { ServerAuth } from "../../../../lib/contract/server";
import { sameIssuer } from "../../../../lib/same-issuer";
import { describeTokenError } from "../../../platform/auth/token-requests";
import { ConnectionError } from "../session/connection-error";
import { getAssertion, isRefusal, withoutTexts } from "./hide-secrets";
import { CLIENT_NAME, expandClientSetting } from "./oauth-client-settings";
import type { CredentialFile } from "./oauth-credentials";
import { createUnattendedParts, findIssuer, withScope } from "./unattended-sign-in";

type WorkloadSettings = Extract<ServerAuth, { type: "workload_identity" }>;

interface WorkloadOptions {
  variables: Readonly<Record<string, string | undefined>>;
  file: CredentialFile;
  now(): number;
  /** Receives the JWT, which must not be shown. */
  onSecret(value: string): void;
}

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** Requests with longer ones do not get through common servers. */
const MAX_TOKEN_BYTES = 16_384;
/** A named pipe without a writer would block a thread. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Only what looks like a signed JWT is sent, so that no other file or variable ever is. */
const SIGNED_JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Signs in with the JWT that the platform gives this process (workload identity federation): it is the grant of the token
 * request (RFC 7523, section 2.1), and no other grant follows a refusal.
 */
export function createWorkloadProvider(settings: WorkloadSettings, options: WorkloadOptions): OAuthClientProvider {
  const { variables, file, now } = options;
  /** The authorization server that the MCP server names. */
  let issuer: string | undefined;
  const clientId = (): string =>
    settings.clientId ? expandClientSetting("OAuth client id", settings.clientId, variables) : "";
  return {
    ...createUnattendedParts({ file, now, subject: "A workload identity needs" }),
    clientMetadata: {
      client_name: CLIENT_NAME,
      redirect_uris: [],
      grant_types: [JWT_BEARER],
      token_endpoint_auth_method: "none",
      ...(settings.scope ? { scope: settings.scope } : {}),
    },
    /** The JWT proves the client; an id is sent only where one is configured. */
    addClientAuthentication(_headers, params) {
      const id = clientId();
      if (id !== "") params.set("client_id", id);
    },
    async clientInformation(context) {
      issuer = await findIssuer(file, context?.issuer);
      return { client_id: clientId() || CLIENT_NAME, ...(issuer === undefined ? {} : { issuer }) };
    },
    async prepareTokenRequest(scope) {
      const assertion = await readAssertion(settings, options);
      assertAudience(assertion, issuer, settings);
      return withScope(new URLSearchParams({ grant_type: JWT_BEARER, assertion }), settings.scope, scope);
    },
  };
}

/**
 * A `fetch` that ends a refused sign-in: the SDK would ask a second time, and print what the authorization server says,
 * which may quote the JWT.
 */
export function endAtRefusal(fetchFn: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetchFn(url, init);
    const assertion = getAssertion(init);
    if (assertion === null || !(await isRefusal(response))) return response;
    if (response.status === 429 || response.status >= 500) return await withoutTexts(response, [assertion]);
    const said = describeTokenError(response.status, await response.json().catch(() => null));
    const remedy = "check which workloads it trusts";
    throw fail("failed", `The authorization server refused the token of our workload identity (${said}): ${remedy}`);
  };
}

/** Read for each token request, since platforms replace the token before it expires. @throws ConnectionError */
async function readAssertion(settings: WorkloadSettings, { variables, onSecret, now }: WorkloadOptions) {
  const where = describeSource(settings, variables);
  const { tokenVariable = "" } = settings;
  const variable = Object.hasOwn(variables, tokenVariable) ? variables[tokenVariable] : undefined;
  const token = ((settings.tokenFrom === "file" ? await readTokenFile(where) : variable) ?? "").trim();
  if (token === "") throw unavailable(`${where} has no token`);
  if (token.length > MAX_TOKEN_BYTES || !SIGNED_JWT.test(token)) {
    throw fail("failed", `${where} holds no signed JWT: name the token of the workload`);
  }
  onSecret(token);
  const expiresAt = readExpiry(token);
  if (expiresAt === null) throw fail("failed", `${where} holds no JWT: its claims cannot be read`);
  if (expiresAt <= now()) throw unavailable(`The token of ${where} expired at ${new Date(expiresAt).toISOString()}`);
  return token;
}

const MAX_SHOWN_AUDIENCE = 200;

/**
 * An MCP server names its authorization server itself, and one with bad intent could collect tokens for another. So the token
 * must be for that server, or an editor has accepted its name.
 * @throws ConnectionError
 */
function assertAudience(token: string, issuer = "", { acceptedIssuer }: WorkloadSettings): void {
  if (acceptedIssuer && sameIssuer(acceptedIssuer, issuer)) return;
  const { aud = [] } = readClaims(token) ?? {};
  const audiences = [aud].flat().filter((each) => typeof each === "string");
  const origin = readOrigin(issuer);
  if (origin !== null && audiences.some((each) => sameIssuer(each, issuer) || readOrigin(each) === origin)) return;
  const shown =
    audiences.length === 0 ? "names no audience" : `is for ${audiences.join(", ").slice(0, MAX_SHOWN_AUDIENCE)}`;
  throw fail(
    "failed",
    `The token of our workload identity ${shown} and was not sent to the authorization server ${issuer}: request it for this audience, or enter ${issuer} under Accepted issuer`,
  );
}

const readOrigin = (address: string): string | null => (URL.canParse(address) ? new URL(address).origin : null);

/** The cause says that another protocol would not help: the sign-in is not tried twice in one attempt. */
const fail = (status: "disconnected" | "failed", message: string): ConnectionError =>
  new ConnectionError(status, message, { cause: new UnauthorizedError(message) });

/** Tried again later, since the platform writes the token. */
const unavailable = (what: string): ConnectionError =>
  fail("disconnected", `${what}: check that the platform writes it`);

function describeSource(
  { tokenFrom, tokenFile = "", tokenVariable = "" }: WorkloadSettings,
  variables: WorkloadOptions["variables"],
): string {
  if (tokenFrom === "variable") return `The environment variable ${tokenVariable}`;
  const file = expandClientSetting("token file", tokenFile, variables);
  if (!path.isAbsolute(file)) throw fail("failed", "The token file must be an absolute path");
  return file;
}

/** @throws ConnectionError that names the file, without any of its content */
async function readTokenFile(file: string): Promise<string> {
  try {
    const opened = await open(file, READ_ONLY);
    try {
      if (!(await opened.stat()).isFile()) throw new Error("it is no file");
      const { bytesRead, buffer } = await opened.read(Buffer.alloc(MAX_TOKEN_BYTES + 1), 0, MAX_TOKEN_BYTES + 1, 0);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await opened.close();
    }
  } catch (error) {
    const { code = "it is no file" } = error as { code?: string };
    throw unavailable(`${file} cannot be read (${code})`);
  }
}

/** When a JWT expires, in epoch milliseconds; `Infinity` for one without a time, null for a text that is no JWT. */
function readExpiry(token: string): number | null {
  const claims = readClaims(token);
  if (claims === null) return null;
  const { exp } = claims;
  return typeof exp === "number" && Number.isFinite(exp) ? Math.max(0, exp * 1_000) : Number.POSITIVE_INFINITY;
}

/** The claims of a JWT, unchecked; null for a text that is no JWT. */
function readClaims(token: string): { exp?: unknown; aud?: unknown } | null {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    return isPlainObject(claims) ? claims : null;
  } catch {
    return null;
  }
}
