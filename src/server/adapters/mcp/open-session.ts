import type { ConnectionSettings, CredentialStore, InteractionDesk } from "../../engine/mcp-ports";
import type { ConnectionLimits } from "./connection-limits";
import { messageOf } from "./describe-fault";
import { createHttpTransport } from "./http-transport";
import { answerServerRequests } from "./interactions";
import { createNodeFetch } from "./node-fetch";
import { listenToNotifications } from "./notifications";
import { createOAuthProvider, type ServerOAuthProvider } from "./oauth-provider";
import { OpenQuestions } from "./open-questions";
import { ProtocolSession, type SessionChannel, type SessionOptions } from "./protocol-session";
import type { Redactor } from "./redactor";
import { resolveSettings, type Target, type Variables } from "./resolve-settings";
import type { SessionHooks } from "./server-connection";
import type { ServerLog } from "./server-log";
import { StdioTransport } from "./stdio-transport";

export interface OpenerOptions {
  client: { name: string; version: string };
  limits: ConnectionLimits;
  interactions: InteractionDesk;
  credentials: CredentialStore;
  variables: Variables;
  rootDir: string;
  log: ServerLog;
  redactor: Redactor;
  /** The console's callback address while a person signs in. */
  redirectUrl: () => string | null;
}

/** What signing in needs to know of a connection. */
export interface SignInChannel {
  provider: ServerOAuthProvider;
  transport: Extract<SessionChannel, { kind: "http" }>["transport"];
}

/** Opens sessions to one server, and remembers how it wants to be spoken to. */
export class SessionOpener {
  readonly #options: OpenerOptions;
  /** Settings of a server that does not survive being asked for the newer protocol. */
  #legacyOnly: string | null = null;
  #signIn: SignInChannel | null = null;
  readonly #questions: OpenQuestions;

  constructor(options: OpenerOptions) {
    this.#options = options;
    this.#questions = new OpenQuestions(options.limits.maxOpenQuestions);
  }

  /** Of the connection that was tried last; null where it has no sign-in. */
  get signIn(): SignInChannel | null {
    return this.#signIn;
  }

  /** Something that must not be shown for a while. */
  addSecret(value: string | null): void {
    this.#options.redactor.addPassing(value);
  }

  /** @throws ConnectionFault, with nothing left behind */
  async open(settings: ConnectionSettings, hooks: SessionHooks, signal: AbortSignal): Promise<ProtocolSession> {
    const { variables, rootDir, redactor, log } = this.#options;
    log.forgetStderr();
    const target = resolveSettings(settings, variables, rootDir, redactor);
    const key = JSON.stringify(settings);
    const legacy = settings.protocol === "legacy" || this.#legacyOnly === key;
    const first = this.#session(settings, target, hooks, legacy);
    try {
      await first.open(signal);
      // A server that was silent would cost the same waiting time at each start.
      if (target.transport === "stdio" && !legacy && !first.modern && !first.transport.probeAnswered) {
        this.#legacyOnly = key;
      }
      return first;
    } catch (error) {
      const mayBeTheProbe = target.transport === "stdio" && !legacy && first.started && !first.transport.probeAnswered;
      if (!mayBeTheProbe || signal.aborted) throw error;
      return await this.#openLegacy(settings, target, hooks, signal, key);
    }
  }

  /** Some servers end, or say nothing more, when they are asked anything before `initialize`. */
  async #openLegacy(
    settings: ConnectionSettings,
    target: Target,
    hooks: SessionHooks,
    signal: AbortSignal,
    key: string,
  ): Promise<ProtocolSession> {
    this.#options.log.forgetStderr();
    const session = this.#session(settings, target, hooks, true);
    await session.open(signal);
    this.#legacyOnly = key;
    this.#options.log.add("toolroom", "info", "The server ends when asked for the newer protocol: using 'initialize'");
    return session;
  }

  #session(settings: ConnectionSettings, target: Target, hooks: SessionHooks, legacy: boolean): ProtocolSession {
    const { client, limits, log, interactions } = this.#options;
    const options: SessionOptions = {
      settings,
      client,
      limits,
      log,
      interactions,
      questions: this.#questions,
      onToolsChanged: () => hooks.onToolsChanged(session),
      onEnd: (fault) => hooks.onEnd(session, fault),
      onDoubt: () => hooks.onDoubt(session),
    };
    const session: ProtocolSession = new ProtocolSession(options, (own) => this.#channel(own, target), legacy);
    answerServerRequests(session, interactions);
    listenToNotifications(session);
    return session;
  }

  #channel(session: ProtocolSession, target: Target): SessionChannel {
    const { limits, log } = this.#options;
    if (target.transport === "stdio") {
      const transport = new StdioTransport(target.command, limits, {
        stderr: (line) => log.addStderr(line),
        garbage: (text, recovered) => session.garbage(text, recovered),
        tooLong: (fragment) => session.tooLong(fragment),
      });
      return { kind: "stdio", transport };
    }
    return this.#httpChannel(session.settings.name, target);
  }

  #httpChannel(server: string, { transport: kind, url, headers, auth }: Extract<Target, { url: URL }>): SessionChannel {
    const { limits, log, redactor, credentials, variables, redirectUrl } = this.#options;
    const { fetch, close } = createNodeFetch({
      origin: url.origin,
      headers,
      maxBytes: limits.maxMessageBytes,
      onCredentials: (value) => redactor.addPassing(value),
    });
    const provider =
      auth.type === "none"
        ? null
        : createOAuthProvider({
            server,
            auth,
            url: url.href,
            credentials,
            redirectUrl,
            variables,
            onSecret: (value) => redactor.addPassing(value),
            onUnreadable: (error) =>
              log.add("toolroom", "warn", `The stored sign-in cannot be read and counts as none: ${messageOf(error)}`),
          });
    const transport = createHttpTransport({
      kind,
      url,
      fetch: provider === null ? fetch : provider.shareRefreshes(fetch),
      authProvider: provider,
    });
    this.#signIn = provider === null ? null : { provider, transport };
    const hasAuthorizationHeader = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
    return {
      kind: "http",
      transport,
      situation: { transport: kind, auth: auth.type, hasAuthorizationHeader, quote: redactor.quote.bind(redactor) },
      release: close,
    };
  }
}
