import { auth } from "@modelcontextprotocol/client";
import { usesIdentity } from "../../../lib/contract/server-kind";
import { listensOnLoopback } from "../../../lib/http-guard/host-policy";
import type { ConnectionSettings, CredentialStore } from "../../engine/mcp-ports";
import type { KnownSecrets } from "../../platform/masking";
import type { AddressPolicy } from "../../platform/outgoing/address-policy";
import { DEFAULT_LIMITS } from "../client/connection/connection-limits";
import { Redactor } from "../client/log/redactor";
import { readLeniently } from "../client/oauth/lenient-metadata";
import { createOAuthProvider } from "../client/oauth/oauth-provider";
import { isApiSettings, type ResolvedAddress, resolveSettings } from "../client/session/resolve-settings";
import { createNodeFetch } from "../client/transport/node-fetch";
import { makeFolder } from "../client/transport/spawn-command";
import type { PeerMessage } from "./exchange";
import { startForwarder } from "./forwarder";
import { startStdioBridge } from "./stdio-bridge";

export interface TargetPorts {
  variables: Readonly<Record<string, string | undefined>>;
  passedVariables?: readonly string[] | undefined;
  rootDir: string;
  home: string;
  getFolder: (server: string) => string;
  addresses: AddressPolicy | undefined;
  credentials: CredentialStore;
  secrets?: KnownSecrets | undefined;
}

type Headers = Readonly<Record<string, string>>;

/** A server that is ready to be tested. */
export interface Target {
  transport: "http" | "stdio";
  url: URL;
  isLocal: boolean;
  /** Headers that prove who asks. */
  credentials: () => Promise<Headers>;
  /** Renews a sign-in that the server no longer accepts. Never rejects. */
  renew: () => Promise<void>;
  /** Gets a token for a resource of another name, with client credentials; null for servers without. */
  requestForeignToken: ((server: PeerMessage, issuer: string) => Promise<string | null>) | null;
  /** The address for the suite, which carries no secret. */
  openSuiteAddress: () => Promise<{ url: URL; close: () => Promise<void> }>;
  redact: (text: string) => string;
  /** The last line that a program printed on standard error; null where it printed none. */
  lastOutput: () => string | null;
  close: () => Promise<void>;
}

const FOREIGN_RESOURCE = "https://conformance.invalid/mcp";
const NOTHING = async (): Promise<void> => undefined;

/** @throws ConnectionError that names the setting */
export async function openTarget(
  settings: ConnectionSettings,
  ports: TargetPorts,
  signal: AbortSignal,
): Promise<Target> {
  if (isApiSettings(settings)) throw new Error("An HTTP API does not speak MCP");
  const redactor = new Redactor(ports.secrets);
  const target = resolveSettings(settings, ports.variables, ports, redactor);
  const redact = (text: string): string => redactor.apply(text);
  if (target.transport !== "stdio") return openRemote(settings.name, target, { ports, redactor, redact, signal });
  if ("cwd" in settings && settings.cwd === null) makeFolder(ports.getFolder(settings.name));
  let lastLine: string | null = null;
  const bridge = await startStdioBridge(target.command, (line) => {
    lastLine = line;
  });
  return {
    transport: "stdio",
    url: bridge.url,
    isLocal: true,
    credentials: async () => ({}),
    renew: NOTHING,
    requestForeignToken: null,
    openSuiteAddress: async () => ({ url: bridge.url, close: NOTHING }),
    redact,
    lastOutput: () => lastLine,
    close: bridge.close,
  };
}

interface RemoteParts {
  ports: TargetPorts;
  redactor: Redactor;
  redact: (text: string) => string;
  signal: AbortSignal;
}

function openRemote(
  server: string,
  { url, headers, auth: settings }: ResolvedAddress,
  { ports, redactor, redact, signal }: RemoteParts,
): Target {
  const { addresses } = ports;
  const requests = createNodeFetch({
    addresses,
    origin: url.origin,
    headers,
    maxBytes: DEFAULT_LIMITS.maxMessageBytes,
    onCredentials: (value) => redactor.addTemporary(value),
  });
  // Servers that sign in as the user of each call are tested by their address, with a token of the tester.
  const provider =
    settings.type === "none" || usesIdentity(settings)
      ? null
      : createOAuthProvider({
          server,
          auth: settings,
          url: url.href,
          credentials: ports.credentials,
          redirectUrl: () => null,
          variables: ports.variables,
          onSecret: (value) => redactor.addTemporary(value),
          onUnreadable: () => undefined,
        });
  const accepted = settings.type === "none" || usesIdentity(settings) ? undefined : settings.acceptedIssuer;
  const fetchFn = provider?.shareRefreshes(readLeniently(requests.fetch, url, accepted));
  const credentials = async (): Promise<Headers> => {
    const token = (await provider?.tokens())?.access_token;
    if (token === undefined) return headers;
    redactor.addTemporary(token);
    return { ...headers, authorization: `Bearer ${token}` };
  };
  return {
    transport: "http",
    url,
    isLocal: listensOnLoopback(url.hostname),
    credentials,
    async renew() {
      if (provider === null || fetchFn === undefined) return;
      const options = { serverUrl: url, fetchFn, skipIssuerMetadataValidation: accepted !== undefined };
      // Without a user nothing but a renewal, or client credentials, can succeed.
      await auth(provider, options).catch(() => signal.throwIfAborted());
    },
    requestForeignToken:
      provider === null || settings.type !== "client_credentials"
        ? null
        : async (metadata, issuer) => {
            const client = await provider.clientInformation({ issuer });
            const token = await requestToken(requests.fetch, metadata, client, signal);
            redactor.addTemporary(token);
            return token;
          },
    openSuiteAddress: () => startForwarder({ target: url, addresses, credentials }),
    redact,
    lastOutput: () => null,
    close: async () => requests.close(),
  };
}

/** Null where the authorization server gives out none, as RFC 8707 allows. */
async function requestToken(
  fetchFn: ReturnType<typeof createNodeFetch>["fetch"],
  { token_endpoint: endpoint, token_endpoint_auth_methods_supported: methods }: PeerMessage,
  client: { client_id: string; client_secret?: string } | undefined,
  signal: AbortSignal,
): Promise<string | null> {
  if (typeof endpoint !== "string" || !URL.canParse(endpoint) || client?.client_secret === undefined) return null;
  const body = new URLSearchParams({ grant_type: "client_credentials", resource: FOREIGN_RESOURCE });
  const headers: Record<string, string> = { accept: "application/json" };
  if (Array.isArray(methods) && methods.includes("client_secret_post")) {
    body.set("client_id", client.client_id);
    body.set("client_secret", client.client_secret);
  } else {
    const pair = [client.client_id, client.client_secret].map(encodeURIComponent).join(":");
    headers.authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
  }
  const response = await fetchFn(new URL(endpoint), { method: "POST", headers, body, signal });
  if (!response.ok) return null;
  const { access_token: token } = (await response.json()) as { access_token?: unknown };
  return typeof token === "string" ? token : null;
}
