import type { Actor } from "../../lib/contract/actor";
import type { ApiDocumentSource, ApiOutline, OperationFilter } from "../../lib/contract/api-document";
import type { ConnectionState } from "../../lib/contract/connection-state";
import type { ToolCallResult } from "../../lib/contract/content";
import type { ExecutionSource } from "../../lib/contract/envelope";
import type { InteractionAnswer, InteractionRequest, PendingInteraction } from "../../lib/contract/interaction";
import type { SamplingSetting } from "../../lib/contract/sampling";
import type { ProtocolMessage, ServerAuth, ServerLogLine, ServerSettings } from "../../lib/contract/server";
import type { SentLogMessage, ToolContext, ToolLogger } from "./ports";

/** Runs a tool on its MCP server. */
export interface McpCaller {
  /**
   * Sends the arguments as they are and waits for the answer, whose `isError` is the caller's to check. Aborting
   * `context.signal` sends `notifications/cancelled`. Connects first where it must; a call that may have run is never
   * sent again.
   * @param tool the server's own name of it
   * @throws ToolFailure `unavailable` (not connected, died, cut: with exit code and last stderr lines where there are any),
   * `tool_error` (an error of the protocol)
   */
  call(server: string, tool: string, args: Record<string, unknown>, context: ToolContext): Promise<ToolCallResult>;
}

/** Settings as the connection needs them: secrets in plain text, `${VAR}` not yet expanded. */
export type ConnectionSettings = {
  name: string;
  enabled: boolean;
  /** The reason why it is not enabled although its settings say so. */
  withheld?: string;
  protocol: "auto" | "legacy" | "stateless";
  connectTimeoutMs: number;
  roots: { uri: string; name?: string | undefined }[];
  /** Default: `ask`. */
  sampling?: SamplingSetting | undefined;
  /** True when users of the console answer requests that the client of a call cannot. */
  askPeople?: boolean | undefined;
  /** Set where each user has a credential of their own, which `PersonalCredentials` holds. */
  personal?: PersonalSlots | undefined;
  /** One user's values of the slots: sent as they are, since `${VAR}` in them would read Toolroom's environment. */
  personalValues?: Readonly<Record<string, string>> | undefined;
} & (
  | {
      transport: "stdio";
      command: string;
      args: string[];
      env: Record<string, string>;
      cwd: string | null;
      /** True where instances of Toolroom share one process. */
      single?: boolean;
    }
  | { transport: "http" | "sse"; url: string; headers: Record<string, string>; auth: ServerAuth }
  | ({ transport: ApiTransport; url: string; headers: Record<string, string>; auth: ServerAuth } & ApiSettings)
);

/** The kind of server that a document describes. */
type ApiTransport = Extract<ServerSettings, { document: ApiDocumentSource }>["transport"];

/** The settings of a server that does not speak MCP. */
export type ApiConnectionSettings = Extract<ConnectionSettings, { transport: ApiTransport }>;

/** The settings of an OpenAPI server. */
export interface ApiSettings {
  /** The document; its text is present. */
  document: ApiDocumentSource;
  query: Record<string, string>;
  operations: OperationFilter;
  /** True when tools have an `outputSchema`. */
  outputSchemas: boolean;
}

export interface PersonalSlots {
  /** Names of headers, query parameters or environment variables; empty where each user signs in. */
  slots: readonly string[];
  /** The names of query parameters. */
  query?: readonly string[] | undefined;
  /** The address and places that the values were entered for: those of another binding are not sent. */
  binding: string;
}

export type PersonalCredential =
  | { kind: "values"; binding: string; values: Readonly<Record<string, string>> }
  | { kind: "oauth"; text: string };

/** Each user's credentials for servers, by server and user. */
export interface PersonalCredentials {
  /** Null where nothing is stored, and for a user who may not sign in to Toolroom. */
  read(server: string, user: string): Promise<PersonalCredential | null>;
  /** @param text what OAuth keeps as JSON; null deletes it */
  writeSignIn(server: string, user: string, text: string | null): Promise<void>;
  /** Works like `exclusively` of `CredentialStore`, for one user. */
  exclusively?<T>(server: string, user: string, work: () => Promise<T>): Promise<T>;
  /** A user's stored sign-ins, complete or not. */
  signIns(user: string): Promise<{ server: string; text: string }[]>;
}

/** What Toolroom asks the identity provider for: an ID-JAG, with which a server's authorization server lets a user in. */
export interface GrantRequest {
  server: string;
  /** The issuer of the authorization server. */
  audience: string;
  /** The address that the server's metadata names. */
  resource: string;
  scope?: string | undefined;
}

/** How a user's token of `issuer` becomes one of a server (RFC 8693); variables are expanded. */
export interface TokenExchange {
  server: string;
  issuer: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string | null;
  audience?: string | undefined;
  resource?: string | undefined;
  scope?: string | undefined;
}

/** Why a user's identity opened no server. The message names the step that failed and what to do. */
export class IdentityRefusal extends Error {
  override readonly name = "IdentityRefusal";
  constructor(
    /** `missing`: a sign-in of the user helps; `refused`: only the admins of the named service can. */
    readonly reason: "missing" | "refused" | "unavailable",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What identity providers prove about users, for connections to servers. All reject with IdentityRefusal. */
export interface UserIdentities {
  /** Whether a token of the user could be used now. @param issuer null for the provider of single sign-on */
  isProven(user: string, issuer: string | null): Promise<boolean>;
  /** @returns the ID-JAG */
  requestGrant(user: string, request: GrantRequest): Promise<string>;
  /** @returns an access token of the server, of this user and issuer */
  exchange(user: string, request: TokenExchange): Promise<string>;
  /** The server refused this token: it is not used again. */
  discard(token: string): void;
}

/** The same for one user. */
export interface UserIdentity {
  requestGrant(request: GrantRequest): Promise<string>;
  exchange(request: TokenExchange): Promise<string>;
  discard(token: string): void;
}

/** A tool as a server listed it: any JSON value, since servers are not trusted to follow the schema. */
export type ListedTool = unknown;

/** A key in an entry of a list: why the tool cannot be called. */
export const UNREADABLE = "toolroom_unreadable";

/** The events of a connection. Listeners must not throw. */
export interface McpConnectionEvents {
  onState(server: string, state: ConnectionState): void;
  /** Called after connecting and after each `list_changed`, debounced. */
  onTools(server: string, tools: readonly ListedTool[]): void;
  onLog(server: string, line: ServerLogLine): void;
  /** @param user the user whose connection it was, for a server with personal credentials */
  onContent(server: string, change: ContentChange, user?: string): void;
}

/** The lists of servers beside tools, by the key of the list's result. */
export type ContentList = "resources" | "resourceTemplates" | "prompts" | "skills";

/** A connection has opened, a list may be another one now, a resource was updated, or a message came outside of calls. */
export type ContentChange =
  | { type: "opened" }
  | { type: "resources" | "prompts" }
  | { type: "updated"; uri: string }
  /** A notification of an extension that Toolroom does not know. */
  | { type: "foreign"; method: string; params: Record<string, unknown> }
  | { type: "log"; message: SentLogMessage };

/** Requests to one connected server beside the calls of its tools. */
export interface ServerContent {
  /** Every page of a list, the entries as received; empty without a request where the server has no such list. */
  list(list: ContentList, signal?: AbortSignal): Promise<Record<string, unknown>[]>;
  /**
   * Sends a request like `McpCaller.call`, for `resources/read`, `prompts/get` and methods of extensions: the server
   * may report progress and request input. Sent once more to a server that had forgotten the session.
   */
  request(method: string, params: Record<string, unknown>, context: ToolContext): Promise<Record<string, unknown>>;
  /** `completion/complete` and the like. @throws ToolFailure */
  ask(method: string, params: Record<string, unknown>, signal?: AbortSignal): Promise<Record<string, unknown>>;
  /** Whether the server lets caches share its last answer to a method among users. */
  isPublic(method: string): Promise<boolean>;
  /** Sends a notification of an extension. @throws ToolFailure */
  notify(method: string, params: Record<string, unknown>): Promise<void>;
  /** Subscriptions are counted: the server receives one request per URI, and another after each reconnect. */
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
  /** The lowest level that a client wants, again after each reconnect. No request where the server does not log. */
  setLogLevel(level: string): Promise<void>;
}

/** Keeps what OAuth must have after a restart: JSON text, encrypted by the store. */
export interface CredentialStore {
  read(server: string): Promise<string | null>;
  write(server: string, credentials: string | null): Promise<void>;
  /** Runs work; other work for the same server waits until it has ended. */
  exclusively?<T>(server: string, work: () => Promise<T>): Promise<T>;
}

/** Keeps what connections learned about each server's protocol: text that the store encrypts. */
export interface ProtocolStore {
  read(server: string): Promise<string | null>;
  write(server: string, learned: string | null): Promise<void>;
}

export interface ApiDocuments {
  /** Reads the description in the settings' document. @throws Error that says why it cannot be read */
  outline(settings: ApiConnectionSettings): Promise<ApiOutline>;
}

export interface ServerQuestion
  extends Pick<PendingInteraction, "server" | "executionId" | "toolName" | "candidates" | "request" | "person"> {
  /** No user made the call: the question needs an open page of the console that can answer. */
  needsViewer?: boolean;
}

/** A kind of request that a server made while one of its tools ran. */
export interface AskedInput {
  server: string;
  /** The name in the catalog. */
  tool: string;
  kind: InteractionRequest["kind"];
}

export interface InteractionBroker {
  /** Rejects when `signal` aborts, and with an error named `NoViewer` when no page that can answer is open. */
  ask(question: ServerQuestion, signal: AbortSignal): Promise<InteractionAnswer>;
}

/** A sampling request that the server's settings answer. */
export interface SamplingRequest {
  /** The call that it is recorded with. */
  executionId: string;
  /** The server that sends the request, and whose budget is charged. */
  server: string;
  /** The user who made the call, and whose spend includes the model's cost. */
  actor: Actor;
  /** Absent in code that runs tools without one. */
  source?: ExecutionSource | undefined;
  logger: ToolLogger;
  /** How many requests this call has made, this one included. */
  count: number;
  setting: Exclude<SamplingSetting, { mode: "ask" }>;
  /** The params as JSON text; untrusted. */
  paramsText: string;
}

/** A `CreateMessageResult` of the protocol. */
export type SamplingResponse = {
  role: "assistant";
  content: { type: "text"; text: string };
  model: string;
  stopReason: string;
};

/** Answers sampling requests as the server's settings say, and records them. */
export interface SamplingResponder {
  /** @throws SamplingFailure for the server; rejects when `signal` aborts */
  respond(request: SamplingRequest, signal: AbortSignal): Promise<SamplingResponse>;
}

/** A sampling request without a response, as the protocol's error. */
export class SamplingFailure extends Error {
  override readonly name = "SamplingFailure";
  constructor(
    /** The error code of JSON-RPC. */
    readonly code: number,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/**
 * One managed connection per server, by name. A server with personal credentials has one for each user instead, opened
 * by its first use and closed when idle: there `person` names the user, and the methods reject for a user without a
 * credential.
 */
export interface McpConnections extends McpCaller {
  /** Makes the connection follow these settings: connects, reconnects where they differ, ends where disabled. */
  apply(settings: ConnectionSettings): void;
  /** Ends the connection and its processes, and forgets the server. */
  remove(server: string): Promise<void>;
  /** Tries now regardless of the backoff, and detects the server's protocol again; resolves with the new state. */
  reconnect(server: string, user?: string): Promise<ConnectionState>;
  /** Resolves once the server is connected with its tools listed, or cannot be now; connects on demand. Never rejects. */
  ready(server: string, signal?: AbortSignal): Promise<ConnectionState>;
  /** Null for an unknown server. */
  state(server: string, user?: string): ConnectionState | null;
  /** Oldest first; the newest 2,000 lines and 500 messages are kept, of a user's connection while it is open. */
  log(server: string, user?: string): ServerLogLine[];
  messages(server: string, user?: string): ProtocolMessage[];
  /** Lets `work` use what the server offers beside tools; a user's connection stays open until it has ended. */
  content<T>(server: string, work: (content: ServerContent) => Promise<T>, user?: string): Promise<T>;
  /** The capabilities that the server declared last; null before its first connection. */
  capabilities(server: string, user?: string): Readonly<Record<string, unknown>> | null;
  /**
   * Starts a sign-in.
   * @param returnTo the path of the console's page that the user comes from
   * @returns the address that the user must open, null when the server demands no sign-in
   */
  startSignIn(server: string, redirectUrl: string, returnTo?: string | null, user?: string): Promise<string | null>;
  /**
   * The authorization server sent the user back.
   * @param params the callback address's query
   * @param user finishes a sign-in that this user started for themselves, and no other; absent: a shared one
   * @returns the `returnTo` of `startSignIn`
   */
  finishSignIn(params: URLSearchParams, user?: string): Promise<{ server: string; returnTo: string | null }>;
  /** Whether a callback belongs to a sign-in that this user started for themselves. */
  startedSignIn(params: URLSearchParams, user: string): Promise<boolean>;
  signOut(server: string, user?: string): Promise<void>;
  signedIn(server: string, user?: string): boolean;
  /** Open connections follow what is stored now: a changed credential replaces one, a missing one ends it. */
  credentialsChanged(user?: string): Promise<void>;
  close(): Promise<void>;
}

/** A configuration that a user pasted; `maxEntries` of one object or list, `maxChars` of the value as JSON. */
export interface ConfigText {
  format: "json" | "toml" | "yaml";
  text: string;
  bounds: { maxDepth: number; maxEntries: number; maxChars: number };
}

/** The value as strict JSON, what is wrong and where, the bound that is exceeded, or why it was not read to its end. */
export type ParsedConfigText =
  | { json: string; notes: string[] }
  | { error: string }
  | { excess: "depth" | "entries" | "size" }
  | { unread: string };

/** Parses off the main thread, which even a small text can hold up for long. Never rejects. */
export type ParseConfigText = (text: ConfigText) => Promise<ParsedConfigText>;

/** The page on which one user connects their account, for one call that waits. */
export interface SignInPage {
  url: string;
  /** How long the page works, in milliseconds. */
  limitMs: number;
  /** @param isConnected the account is connected; false: the call waits no longer */
  close(isConnected: boolean): void;
}

/** Null where no page has an address, or too many are open. */
export type OpenSignInPage = (wanted: { server: string; user: string; toolName: string }) => SignInPage | null;
