import type {
  ConnectionSettings,
  ContentChange,
  InteractionBroker,
  ProtocolStore,
  SamplingResponder,
} from "../../../engine/mcp-ports";
import type { ToolContext } from "../../../engine/ports";
import type { ClientTelemetry } from "../../../platform/telemetry/telemetry";
import type { SessionHooks } from "../connection/server-connection";
import { handleServerRequests } from "../interaction/handle-server-requests";
import { PendingRequests } from "../interaction/pending-requests";
import { explainWithheld } from "../process/child-environment";
import { createHttpChannel, type HttpChannelOptions, type SignInChannel } from "../transport/http-channel";
import { makeFolder } from "../transport/spawn-command";
import { StdioTransport } from "../transport/stdio-transport";
import { ConnectionError } from "./connection-error";
import { getMessage, isSilenceOf } from "./describe-error";
import { listenToNotifications } from "./notifications";
import { refusesInitialize } from "./protocol-evidence";
import { type ProtocolEra, ProtocolMemory } from "./protocol-memory";
import { ProtocolSession, type SessionChannel } from "./protocol-session";
import { type ConnectionTarget, isApiSettings, resolveSettings } from "./resolve-settings";

export interface OpenerOptions extends Omit<HttpChannelOptions, "pause"> {
  protocols: ProtocolStore;
  client: { name: string; version: string };
  interactions: InteractionBroker;
  sampling: SamplingResponder;
  rootDir: string;
  home?: string | undefined;
  getFolder: (server: string) => string;
  passedVariables?: readonly string[] | undefined;
  onContent(change: ContentChange): void;
  telemetry?: ClientTelemetry | undefined;
}

interface Attempt {
  settings: ConnectionSettings;
  target: ConnectionTarget;
  hooks: SessionHooks;
  signal: AbortSignal;
}

/** The share of the connect timeout: a server that starts and answers `initialize` in less had time to answer the probe before. */
const QUICK_SHARE = 0.1;

/** Opens sessions to one server, in the protocol that the server speaks. */
export class SessionOpener {
  readonly #options: OpenerOptions;
  readonly #memory: ProtocolMemory;
  #signIn: SignInChannel | null = null;
  readonly #pendingRequests: PendingRequests;

  constructor(server: string, options: OpenerOptions) {
    this.#options = options;
    this.#pendingRequests = new PendingRequests(options.limits.maxPendingRequests);
    this.#memory = new ProtocolMemory(server, options.protocols, (error) =>
      options.log.add("toolroom", "warn", `The server's protocol could not be remembered: ${getMessage(error)}`),
    );
  }

  /** The sign-in of the latest connection attempt; null where it has none. */
  get signIn(): SignInChannel | null {
    return this.#signIn;
  }

  /** Keeps a short-lived secret out of logs. */
  addSecret(value: string | null): void {
    this.#options.redactor.addTemporary(value);
  }

  /** Keeps the masked values of a call out of logs. */
  addMasked(values: NonNullable<ToolContext["maskedValues"]>): void {
    this.#options.redactor.addMasked(values);
  }

  /** The next connection asks the server again which protocol it speaks. */
  forgetProtocol(): Promise<void> {
    return this.#memory.forget();
  }

  /** For a server that speaks both protocols and whose tools need the older one. */
  useLegacyProtocol(settings: ConnectionSettings): Promise<void> {
    return this.#memory.keep(settings, "legacy");
  }

  /** @throws ConnectionError, with nothing left behind */
  async open(settings: ConnectionSettings, hooks: SessionHooks, signal: AbortSignal): Promise<ProtocolSession> {
    const { variables, redactor } = this.#options;
    if (isApiSettings(settings)) throw new ConnectionError("failed", "HTTP APIs are not supported here");
    const target = resolveSettings(settings, variables, this.#options, redactor);
    if ("cwd" in settings && settings.cwd === null) makeFolder(this.#options.getFolder(settings.name));
    try {
      return await this.#open({ settings, target, hooks, signal });
    } catch (error) {
      throw signal.aborted ? error : this.#addWithheld(error, target);
    }
  }

  /** Says which variables may be missing where a package could not be downloaded. */
  #addWithheld(error: unknown, target: ConnectionTarget): unknown {
    if (target.transport !== "stdio" || !(error instanceof ConnectionError)) return error;
    const stderr = this.#options.log.lastStderr();
    const isSilent = isSilenceOf(error);
    const hint = explainWithheld(target.command.command, target.withheld, { stderr, isSilent });
    if (hint === null) return error;
    return new ConnectionError(error.status, `${error.message}\n${hint}`, { cause: error });
  }

  async #open(attempt: Attempt): Promise<ProtocolSession> {
    const { settings, signal } = attempt;
    if (settings.protocol === "legacy") return await this.#openLegacy(attempt);
    const known = await this.#memory.recall(settings);
    if (known !== "legacy") return await this.#negotiate(attempt, known);
    try {
      return await this.#openLegacy(attempt);
    } catch (error) {
      if (signal.aborted || !refusesInitialize(error)) throw error;
      await this.#memory.forget();
      this.#log("The server no longer accepts 'initialize': asking it which protocol it speaks");
      return await this.#negotiate(attempt, null);
    }
  }

  /** Asks with `server/discover`. Only a response, or an exit because of the request, proves what a server speaks. */
  async #negotiate(attempt: Attempt, known: ProtocolEra | null): Promise<ProtocolSession> {
    const { settings, signal } = attempt;
    const session = this.#createSession(attempt, false);
    const { transport } = session;
    try {
      await session.open(signal);
    } catch (error) {
      if (transport.probeAnswer === "proof") await this.#memory.keep(settings, session.era);
      if (signal.aborted || transport.probeAnswer !== "none" || !session.started) throw error;
      if (session.timedOut && known !== "modern") return await this.#openAfterSilence(attempt);
      if (session.timedOut || session.channel.kind === "http") throw error;
      return await this.#openAfterExit(attempt, known, error);
    }
    if (transport.probeAnswer === "proof") await this.#memory.keep(settings, session.era);
    else if (known === "modern" && !session.modern) {
      await session.close();
      throw new ConnectionError(
        "disconnected",
        "The server failed to answer 'server/discover': it reported an internal error",
      );
    }
    return session;
  }

  /** Some older servers exit on any request before `initialize`. */
  async #openAfterExit(attempt: Attempt, known: ProtocolEra | null, error: unknown): Promise<ProtocolSession> {
    if (known === "modern") {
      // It may have crashed, or been replaced by an older one: the next attempt finds out.
      await this.#memory.forget();
      throw error;
    }
    const session = await this.#openLegacy(attempt);
    await this.#memory.keep(attempt.settings, "legacy");
    this.#log("The server exits when it is asked for the newer protocol: using 'initialize'");
    return session;
  }

  /**
   * Some older servers ignore everything before `initialize`. So does a server that is slow to start: the protocol is
   * remembered only if `initialize` is then answered quickly, and never over HTTP, where a server may just have been down.
   */
  async #openAfterSilence(attempt: Attempt): Promise<ProtocolSession> {
    const { settings } = attempt;
    const waited = `${settings.connectTimeoutMs / 1000} s`;
    this.#log(`The server did not answer 'server/discover' within ${waited}: trying 'initialize'`);
    const startedAt = performance.now();
    const session = await this.#openLegacy(attempt);
    const quick = performance.now() - startedAt < settings.connectTimeoutMs * QUICK_SHARE;
    if (quick && session.channel.kind === "stdio") {
      await this.#memory.rememberSilence(settings);
      this.#log("The server answers 'initialize' only: using it until a person reconnects the server or changes it");
    } else {
      this.#log(
        `The server may answer 'initialize' only. Set its protocol to 'legacy' to save the ${waited} at each connect`,
      );
    }
    return session;
  }

  async #openLegacy(attempt: Attempt): Promise<ProtocolSession> {
    const session = this.#createSession(attempt, true);
    await session.open(attempt.signal);
    return session;
  }

  #log(text: string): void {
    this.#options.log.add("toolroom", "info", text);
  }

  #createSession({ settings, target, hooks }: Attempt, legacy: boolean): ProtocolSession {
    const { client, limits, log, interactions, sampling, fastPath, telemetry } = this.#options;
    log.clearStderr();
    const session: ProtocolSession = new ProtocolSession({
      settings,
      client,
      limits,
      log,
      interactions,
      sampling,
      pendingRequests: this.#pendingRequests,
      legacy,
      fastPath,
      traced: telemetry && { telemetry, server: settings.name, url: "url" in target ? target.url : undefined },
      createChannel: (created) => this.#createChannel(created, target),
      onToolsChanged: () => hooks.onToolsChanged(session),
      onContent: this.#options.onContent,
      onEnd: (error) => hooks.onEnd(session, error),
      onSuspectedLoss: () => hooks.onSuspectedLoss(session),
    });
    handleServerRequests(session);
    listenToNotifications(session);
    return session;
  }

  #createChannel(session: ProtocolSession, target: ConnectionTarget): SessionChannel {
    const { limits, log } = this.#options;
    const { pause } = session.inflow;
    switch (target.transport) {
      case "stdio": {
        const transport = new StdioTransport(target.command, limits, {
          stderr: (line) => log.addStderr(line),
          noise: (text, recovered) => session.handleNoise(text, recovered),
          oversized: (fragment) => session.handleOversized(fragment),
          pause,
        });
        return { kind: "stdio", transport };
      }
      case "http":
      case "sse": {
        const { channel, signIn } = createHttpChannel(session.settings.name, target, { ...this.#options, pause });
        this.#signIn = signIn;
        return channel;
      }
    }
  }
}
