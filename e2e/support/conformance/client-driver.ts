/**
 * The program that the conformance suite runs as a client: Toolroom's own connections, without a server around them. The suite gives
 * the address as the last argument. It connects, lists, calls every tool, and answers what it is asked as a user would
 * who accepts everything.
 */
import type { InteractionAnswer, InteractionRequest } from "../../../src/lib/contract/interaction";
import type { ServerAuth } from "../../../src/lib/contract/server";
import type { SigningAlgorithm } from "../../../src/lib/contract/signing-algorithms";
import { ToolFailure } from "../../../src/server/engine/failures";
import type { ConnectionSettings, UserIdentities } from "../../../src/server/engine/mcp-ports";
import { createMcpConnections } from "../../../src/server/mcp/client/mcp-connections";
import { createIdentityProvider } from "../../../src/server/platform/auth/identity-provider";
import { createOutgoingFetch } from "../../../src/server/platform/outgoing/outgoing-fetch";

const SERVER = "suite";
const REDIRECT_URL = "http://127.0.0.1:3000/servers/callback";
/** The suite knows the client of this document without fetching it. */
const CLIENT_DOCUMENT = "https://conformance-test.local/client-metadata.json";
const MAX_SIGN_INS = 4;
const WORKLOAD_VARIABLE = "SUITE_WORKLOAD_TOKEN";
/** The user of a scenario in which an identity provider lets users in. */
const USER = "suite";

interface Context {
  client_id?: string;
  client_secret?: string;
  private_key_pem?: string;
  signing_algorithm?: SigningAlgorithm;
  idp_client_id?: string;
  idp_id_token?: string;
  idp_issuer?: string;
  valid_jwt?: string;
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
}
interface Listed {
  name: string;
  inputSchema?: { properties?: Record<string, { type?: string }>; required?: string[] };
}

const url = process.argv.at(-1) ?? "";
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const modern = (process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? "") >= "2026-07-28";
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}") as Context;

const usesIdentityProvider = context.idp_issuer !== undefined;

/** The user has signed in with the suite's identity provider, whose ID token is in the context. */
function createIdentities(): UserIdentities {
  const { idp_issuer: issuer = "", idp_client_id: clientId = "", idp_id_token: idToken = "" } = context;
  const settings = { issuer, clientId, clientSecret: null, name: "The suite", scopes: ["openid"] };
  const provider = createIdentityProvider({ ...settings, rolesClaim: null, trustEmail: false }, createOutgoingFetch());
  return {
    isProven: async () => true,
    requestGrant: (_user, { audience, resource, scope }) =>
      provider.requestGrant({ audience, resource, scope, idToken }),
    exchange: () => Promise.reject(new Error("no scenario exchanges tokens")),
    discard: () => undefined,
  };
}

function auth(): ServerAuth {
  if (!scenario.startsWith("auth/")) return { type: "none" };
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context;
  if (context.valid_jwt !== undefined) {
    return { type: "workload_identity", tokenFrom: "variable", tokenVariable: WORKLOAD_VARIABLE, clientId };
  }
  if (clientId !== undefined && usesIdentityProvider) {
    return { type: "cross_app_access", clientId, clientSecret: clientSecret ?? "" };
  }
  if (clientId !== undefined && privateKey !== undefined) {
    return { type: "private_key_jwt", clientId, privateKey, algorithm: context.signing_algorithm ?? "RS256" };
  }
  if (clientId !== undefined && scenario.includes("client-credentials")) {
    return { type: "client_credentials", clientId, clientSecret: clientSecret ?? "" };
  }
  return {
    type: "oauth",
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
  };
}

/** The defaults of a form, which the console fills in before a user sees it. */
function answer(request: InteractionRequest): InteractionAnswer {
  if (request.kind === "sampling") return { action: "accept", text: "A model's answer", model: "scripted" };
  if (request.kind === "url") return { action: "accept" };
  const properties = (request.schema.properties ?? {}) as Record<string, { default?: unknown; type?: string }>;
  const filled = Object.entries(properties).map(([name, { default: given, type }]) => [name, given ?? sample(type)]);
  return { action: "accept", content: Object.fromEntries(filled) };
}

function sample(type: string | undefined): unknown {
  if (type === "number" || type === "integer") return 1;
  if (type === "boolean") return true;
  return type === "array" ? [] : type === "object" ? {} : "text";
}

const stored = new Map<string, string>();
let listed: Listed[] = [];
const connections = createMcpConnections({
  events: {
    onState: (_server, state) => console.error("state", state.status, state.reason ?? ""),
    onTools: (_server, tools) => {
      listed = tools as Listed[];
    },
    onLog: (_server, line) => console.error(line.stream, line.text),
    onContent: () => undefined,
  },
  credentials: {
    read: async (server) => stored.get(server) ?? null,
    write: async (server, text) => void (text === null ? stored.delete(server) : stored.set(server, text)),
  },
  personal: {
    credentials: {
      read: async (server) => {
        const text = stored.get(`own ${server}`);
        return text === undefined ? null : { kind: "oauth", text };
      },
      writeSignIn: async (server, _user, text) =>
        void (text === null ? stored.delete(`own ${server}`) : stored.set(`own ${server}`, text)),
      signIns: async () => [],
    },
    isUser: () => usesIdentityProvider,
    getPage: (server) => server,
    ...(usesIdentityProvider && { identities: createIdentities() }),
  },
  protocols: { read: async () => null, write: async () => undefined },
  interactions: { ask: async ({ request }) => answer(request) },
  sampling: { respond: () => Promise.reject(new Error("the settings ask")) },
  logger: { debug() {}, info() {}, warn() {}, error: (fields, message) => console.error(message, fields) },
  clock: { now: Date.now, elapsed: () => performance.now() },
  variables: { ...process.env, [WORKLOAD_VARIABLE]: context.valid_jwt },
  clientDocument: scenario === "auth/basic-cimd" ? { url: CLIENT_DOCUMENT, redirectUrl: REDIRECT_URL } : undefined,
  rootDir: process.cwd(),
  getFolder: () => process.cwd(),
  client: { name: "toolroom", version: "0.1.0" },
  fastPath: process.env.TOOLROOM_FAST_PATH !== "off",
});
const settings: ConnectionSettings & { transport: "http" } = {
  name: SERVER,
  enabled: true,
  protocol: modern ? "auto" : "legacy",
  connectTimeoutMs: 10_000,
  roots: [],
  transport: "http",
  url,
  headers: {},
  auth: auth(),
  ...(usesIdentityProvider && { personal: { slots: [], binding: url } }),
};

/** Goes where the user would be sent, and comes back as their browser would. */
async function signIn(): Promise<void> {
  const address = await connections.startSignIn(SERVER, REDIRECT_URL);
  if (address === null) return;
  const response = await fetch(address, { redirect: "manual" });
  const back = response.headers.get("location");
  if (back === null) throw new Error(`The authorization server did not send the person back: ${response.status}`);
  await connections.finishSignIn(new URL(back).searchParams);
}

async function ready(): Promise<string> {
  for (let round = 0; ; round += 1) {
    const { status, reason } = usesIdentityProvider
      ? await connections.reconnect(SERVER, USER)
      : await connections.ready(SERVER);
    if (status === "connected") return status;
    if (status !== "sign_in_needed" || round === MAX_SIGN_INS) throw new Error(`${status}: ${reason}`);
    await signIn();
  }
}

async function call(name: string, args: Record<string, unknown>, again = true): Promise<void> {
  const controller = new AbortController();
  const limit = setTimeout(() => controller.abort(new Error("no response in time")), 15_000);
  try {
    const result = await connections.call(SERVER, name, args, {
      signal: controller.signal,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      executionId: "exec_suite",
      toolName: `${SERVER}__${name}`,
      actor: { id: USER, name: USER },
      progress() {},
      setTimeoutHint() {},
      markTask() {},
      usePersonalCredential() {},
      relayLog() {},
      hold: () => () => {},
    });
    console.error("answer", name, JSON.stringify(result).slice(0, 300));
  } catch (error) {
    console.error("failed", name, error instanceof Error ? error.message : error);
    if (!(error instanceof ToolFailure)) throw error;
    // A call may need more than connecting did: the user signs in again, once.
    if (!again || settings.auth.type !== "oauth") return;
    await signIn();
    await ready();
    await call(name, args, false);
  } finally {
    clearTimeout(limit);
  }
}

let failed = false;
try {
  connections.apply(settings);
  await ready();
  // Some servers want a sign-in for their tools only.
  if (settings.auth.type === "oauth" && !connections.signedIn(SERVER)) {
    await signIn();
    await connections.reconnect(SERVER);
    await ready();
  }
  const calls =
    context.toolCalls ??
    listed.map(({ name, inputSchema }) => ({
      name,
      arguments: Object.fromEntries(
        (inputSchema?.required ?? []).map((key) => [
          key,
          // One scenario wants back the schema that it has listed.
          key === "schema" ? listed[0]?.inputSchema : sample(inputSchema?.properties?.[key]?.type),
        ]),
      ),
    }));
  for (const { name, arguments: args } of calls) await call(name, args);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  failed = true;
}
await connections.close();
process.exit(failed ? 1 : 0);
