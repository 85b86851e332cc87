import type {
  AskedInput,
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
import { allowsInitialize, refusesInitialize } from "./protocol-evidence";
import { type ProtocolEra, ProtocolMemory } from "./protocol-memory";
import { ProtocolSession, type SessionChannel } from "./protocol-session";
import { type ConnectionTarget, isApiSettings, resolveSettings } from "./resolve-settings";

export interface OpenerOptions extends Omit<HttpChannelOptions, "pause"> {
  protocols: ProtocolStore;
  client: { name: string; version: string };
  interactions: InteractionBroker;
  sampling: SamplingResponder;
  /** Called with each request of a server for input whose call is known, before it is answered. */
  onAsked?: ((asked: AskedInput) => void) | undefined;
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

/** How long a server over HTTP, which runs already, may take to answer `server/discover` before `initialize` is tried. */
const PROBE_PATIENCE_MS = 3000;
const PROBE_FAILED = "The server did not answer 'server/discover' as the protocol says";
const STATELESS_ONLY = "Its settings allow no other protocol: set its protocol to 'auto'";
const LEGACY_HELPS = `If it was replaced by an older one, press 'Reconnect' or set its protocol to 'legacy'`;

/** The server did not answer `server/discover` in a way that tells its protocol. */
class ProbeFailure extends Error {
  readonly isSilence: boolean;
  readonly isRefusal: boolean;
  readonly isAnswered: boolean;
  readonly hasExited: boolean;

  constructor(
    readonly reason: ConnectionError,
    session: ProtocolSession,
  ) {
    super(reason.message);
    this.isSilence = session.timedOut;
    this.isRefusal = session.transport.probeAnswer === "proof";
    this.isAnswered = session.transport.probeAnswer !== "none";
    this.hasExited = session.hasExited;
  }

  describe(waitedMs: number): string {
    return this.isSilence ? `no answer within ${waitedMs / 1000} s` : this.reason.message;
  }
}

function addHint(error: ConnectionError, hint: string | null): ConnectionError {
  if (hint === null) return error;
  return new ConnectionError(error.status, `${error.message}. ${hint}`, { cause: error });
}

/** Opens sessions to one server, in the protocol that the server speaks. */
export class SessionOpener {
  readonly #options: OpenerOptions;
  readonly #memory: ProtocolMemory;
  #signIn: SignInChannel | null = null;
  #refusedInitialize = false;
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

  /** Whether the server refused `initialize`: no tool of it can ask for input in the middle of a call. */
  get knowsModernOnly(): boolean {
    return this.#refusedInitialize;
  }

  /** Makes the next connection detect the protocol again. */
  forgetProtocol(): Promise<void> {
    this.#refusedInitialize = false;
    return this.#memory.forget();
  }

  /** Prefers the older protocol for a server that supports both and whose tools need it. */
  useLegacyProtocol(settings: ConnectionSettings): Promise<void> {
    return this.#memory.keep(settings, "legacy");
  }

  /** @throws ConnectionError and leaves nothing open */
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
    const { settings } = attempt;
    // The SSE transport is older than the newer protocol.
    if (settings.protocol === "legacy" || settings.transport === "sse") return await this.#openLegacy(attempt);
    if (settings.protocol === "stateless") return await this.#openStateless(attempt);
    const known = await this.#memory.recall(settings);
    // Over stdio the newer protocol saves nothing, and its tools cannot request input during a call (decision 0010).
    const startsLegacy = known === "legacy" || (known === null && settings.transport === "stdio");
    return startsLegacy ? await this.#openLegacyFirst(attempt, known) : await this.#negotiate(attempt, known);
  }

  /** The setting excludes `initialize`, also where the server answers it. */
  async #openStateless(attempt: Attempt): Promise<ProtocolSession> {
    const session = await this.#probe(attempt, attempt.settings.connectTimeoutMs).catch((failure: unknown) => {
      throw failure instanceof ProbeFailure ? addHint(failure.reason, STATELESS_ONLY) : failure;
    });
    if (session.modern) return session;
    await session.close();
    throw new ConnectionError("failed", `The server does not speak protocol 2026-07-28. ${STATELESS_ONLY}`);
  }

  async #openLegacyFirst(attempt: Attempt, known: ProtocolEra | null): Promise<ProtocolSession> {
    const session = this.#createSession(attempt, true);
    try {
      await session.open(attempt.signal);
      return session;
    } catch (error) {
      // Some newer servers exit on a request that they do not know.
      const isRefused = refusesInitialize(error) || (known === null && session.hasExited);
      if (attempt.signal.aborted || !isRefused) throw error;
      if (known !== null) await this.#memory.forget();
      this.#log("The server does not accept 'initialize': asking it which protocol it speaks");
      const newer = await this.#probe(attempt, attempt.settings.connectTimeoutMs).catch((failure: unknown) => {
        if (!(failure instanceof ProbeFailure)) throw failure;
        throw failure.hasExited ? error : failure.reason;
      });
      this.#refusedInitialize = newer.modern;
      return newer;
    }
  }

  /** Asks with `server/discover`. Whatever other answer comes, `initialize` follows in the same attempt, unless the server is known to speak the newer protocol. */
  async #negotiate(attempt: Attempt, known: ProtocolEra | null): Promise<ProtocolSession> {
    const { connectTimeoutMs } = attempt.settings;
    const patienceMs = known === "modern" ? connectTimeoutMs : Math.min(connectTimeoutMs, PROBE_PATIENCE_MS);
    try {
      const session = await this.#probe(attempt, patienceMs);
      if (known !== "modern" || session.modern || session.transport.probeAnswer === "proof") return session;
      await session.close();
      throw new ConnectionError("disconnected", `${PROBE_FAILED}: it reported an internal error. ${LEGACY_HELPS}`);
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      if (known === "modern" && !error.isRefusal) {
        // A process may have crashed, or been replaced by an older one: the next attempt finds out.
        if (error.hasExited) await this.#memory.forget();
        throw addHint(error.reason, error.isAnswered ? LEGACY_HELPS : null);
      }
      this.#log(`${PROBE_FAILED} (${error.describe(patienceMs)}): trying 'initialize'`);
      const session = await this.#openLegacy(attempt);
      if (error.isSilence) this.#log(`Set the server's protocol to 'legacy' to save the wait at each connect`);
      return session;
    }
  }

  /** @throws ProbeFailure where `initialize` may still work, else ConnectionError */
  async #probe(attempt: Attempt, patienceMs: number): Promise<ProtocolSession> {
    const { settings, signal } = attempt;
    const session = this.#createSession(attempt, false);
    const { transport } = session;
    try {
      await session.open(signal, patienceMs);
    } catch (error) {
      const isProof = transport.probeAnswer === "proof";
      if (isProof) await this.#memory.keep(settings, session.era);
      if (signal.aborted || !session.started || !(error instanceof ConnectionError)) throw error;
      if (transport.hasSentInitialize || !allowsInitialize(error)) throw error;
      throw new ProbeFailure(error, session);
    }
    if (transport.probeAnswer === "proof") await this.#memory.keep(settings, session.era);
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
    const { client, limits, log, interactions, sampling, onAsked, fastPath, telemetry } = this.#options;
    log.clearOutput();
    const session: ProtocolSession = new ProtocolSession({
      settings,
      client,
      limits,
      log,
      interactions,
      sampling,
      onAsked,
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
