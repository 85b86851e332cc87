// Runs as it is, without a build: the stdio gateway is a command.
import { PassThrough } from "node:stream";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { callFailure, errorAnswer, errorBody, isStateless, wasNotTaken } from "./stdio-messages.mjs";

/**
 * @typedef {Upstream} Upstream
 * @typedef {{ message: any, abort: AbortController, cancelled: boolean, upstream: Upstream | null }} Pending
 * @typedef {{
 *   input: import("node:stream").Readable,
 *   output: import("node:stream").Writable,
 *   findUrl: () => Promise<URL>,
 *   report: (message: string) => void,
 * }} BridgeOptions `findUrl` gives the gateway's address, starting a Toolroom if it has to
 */

const ATTEMPTS = 3;
const PAUSE_MS = 200;
const REJOIN_LIMIT_MS = 30_000;
const MAX_INPUT_BYTES = 16 * 1024 * 1024;
/** How long requests that were read may still be answered once stdin has ended. */
const DRAIN_LIMIT_MS = 10_000;
const DRAIN_POLL_MS = 20;

/**
 * Carries messages between a client on stdio and the gateway over HTTP, as they are, so that every protocol that the
 * gateway speaks is spoken here too. When Toolroom goes away, open requests get clear errors, and the next message finds
 * it again; a session is then begun anew with what the client said when it began the first.
 */
class StdioBridge {
  #options;
  #stdio;
  /** @type {Promise<Upstream> | null} */
  #upstream = null;
  /** The same, once it is there. @type {Upstream | null} */
  #current = null;
  /** @type {Map<unknown, Pending>} */
  #pending = new Map();
  /** Those that are followed by another one, until their last request has ended. @type {Set<Upstream>} */
  #retired = new Set();
  /** What the client said that a new session has to hear again. @type {{ initialize: any, level: any }} */
  #spoken = { initialize: null, level: null };
  /** Answers to what the bridge itself asks. @type {Map<string, () => void>} */
  #own = new Map();
  #ownIds = 0;
  #closing = false;
  /** What follows `initialize` belongs to the session that its answer begins, also when all was sent at once. */
  #begun = Promise.resolve();
  /** @type {{ id: unknown, open: () => void } | null} */
  #beginning = null;
  /** @type {() => void} */
  #onClosed = () => {};
  /** Resolves when the client is gone. */
  closed = new Promise((resolve) => {
    this.#onClosed = () => resolve(undefined);
  });

  /** @param {BridgeOptions} options */
  constructor(options) {
    this.#options = options;
    // The SDK's transport takes the end of its input for the end of everything; answers may still be on their way.
    const input = options.input.pipe(new PassThrough(), { end: false });
    options.input.once("close", () => void this.#drain(input));
    options.input.once("end", () => void this.#drain(input));
    this.#stdio = new StdioServerTransport(input, options.output, { maxBufferSize: MAX_INPUT_BYTES });
    this.#stdio.onmessage = (/** @type {any} */ message) => void this.#fromClient(message);
    this.#stdio.onerror = (/** @type {Error} */ error) => options.report(`stdin: ${error.message}`);
    this.#stdio.onclose = () => this.#onClosed();
    void this.#stdio.start();
  }

  async close() {
    if (this.#closing) return;
    this.#closing = true;
    for (const { abort } of this.#pending.values()) abort.abort();
    const upstream = await this.#upstream?.catch(() => null);
    if (upstream) {
      await upstream.terminateSession().catch(() => {});
      await upstream.close();
    }
    await this.#stdio.close();
  }

  /** @param {import("node:stream").Writable} input */
  async #drain(input) {
    const until = Date.now() + DRAIN_LIMIT_MS;
    // What was read last is still to be handed on.
    await sleep(0);
    while (this.#pending.size > 0 && Date.now() < until && !this.#closing) await sleep(DRAIN_POLL_MS);
    input.end();
  }

  /** @param {any} message */
  async #fromClient(message) {
    if (message.method === "notifications/cancelled" && this.#cancel(message)) return;
    if (message.method === "initialize") this.#begin(message);
    if (message.method === "logging/setLevel") this.#spoken.level = message;
    const isRequest = message.method !== undefined && message.id !== undefined;
    const pending = { message, abort: new AbortController(), cancelled: false, upstream: null };
    if (isRequest) this.#pending.set(message.id, pending);
    if (message.method !== "initialize" && !isStateless(message)) await this.#begun;
    await this.#send(pending, isRequest);
  }

  /** @param {any} message */
  #begin(message) {
    this.#spoken = { initialize: message, level: null };
    this.#begun = new Promise((open) => {
      this.#beginning = { id: message.id, open: () => open(undefined) };
    });
  }

  /**
   * A stateless call is cancelled by leaving it; a session has a message for it, which goes on.
   * @param {any} message @returns {boolean} whether that was all
   */
  #cancel(message) {
    const pending = this.#pending.get(message.params?.requestId);
    if (pending === undefined) return false;
    pending.cancelled = true;
    if (!isStateless(pending.message)) return false;
    this.#settle(pending.message.id);
    pending.abort.abort();
    return true;
  }

  /** @param {Pending} pending @param {boolean} isRequest */
  async #send(pending, isRequest) {
    for (let attempt = 1; ; attempt += 1) {
      const error = await this.#attempt(pending);
      if (error === null || pending.abort.signal.aborted || this.#closing) return;
      // What was not taken can be sent again; a call that may have run is not.
      const untouched = pending.upstream === null || wasNotTaken(error);
      if (untouched) this.#retire(pending.upstream);
      if (untouched && pending.upstream !== null && attempt < ATTEMPTS) {
        pending.upstream = null;
        await sleep(attempt * PAUSE_MS);
        continue;
      }
      const refusal = errorBody(error);
      if (!isRequest) this.#options.report(`${pending.message.method ?? "an answer"} was lost: ${reasonOf(error)}`);
      else if (refusal !== null) this.#toClient({ ...refusal, id: pending.message.id });
      else this.#unanswered(pending, untouched ? `Toolroom cannot be reached: ${reasonOf(error)}` : lostText(error));
      return;
    }
  }

  /** @param {Pending} pending @returns {Promise<unknown>} why it failed, null when it did not */
  async #attempt(pending) {
    try {
      const upstream = await this.#connected(pending.message);
      pending.upstream = upstream;
      await upstream.send(pending.message, {
        requestSignal: pending.abort.signal,
        onRequestStreamEnd: () => this.#unanswered(pending, lostText("its connection was cut")),
      });
      return null;
    } catch (error) {
      return error ?? "unknown";
    }
  }

  /** @param {Pending} pending @param {string} text */
  #unanswered({ message, cancelled }, text) {
    if (!this.#settle(message.id) || cancelled || this.#closing) return;
    void this.#stdio.send(message.method === "tools/call" ? callFailure(message, text) : errorAnswer(message, text));
  }

  /** @param {unknown} id @returns {boolean} whether it was open */
  #settle(id) {
    const known = this.#pending.delete(id);
    if (this.#beginning?.id === id) this.#beginning?.open();
    for (const upstream of this.#retired) {
      if ([...this.#pending.values()].some((pending) => pending.upstream === upstream)) continue;
      this.#retired.delete(upstream);
      void upstream.close();
    }
    return known;
  }

  /** @param {Upstream | null} upstream */
  #retire(upstream) {
    if (upstream === null || this.#current !== upstream) return;
    this.#retired.add(upstream);
    this.#current = null;
    this.#upstream = null;
  }

  /** @param {any} message the one that shall be sent */
  #connected(message) {
    this.#upstream ??= this.#connect(message);
    const connecting = this.#upstream;
    connecting.catch(() => {
      if (this.#upstream === connecting) this.#upstream = null;
    });
    return connecting;
  }

  /** @param {any} message */
  async #connect(message) {
    const url = await this.#options.findUrl();
    const upstream = new StreamableHTTPClientTransport(url, { requestInit: { headers: { "toolroom-stdio": "1" } } });
    upstream.onmessage = (received) => this.#toClient(received, upstream);
    upstream.onerror = (error) => this.#options.report(`Toolroom at ${url.origin}: ${reasonOf(error)}`);
    await upstream.start();
    const { initialize } = this.#spoken;
    if (initialize !== null && initialize !== message && !isStateless(message)) await this.#rejoin(upstream);
    this.#current = upstream;
    return upstream;
  }

  /** Begins the client's session again at a Toolroom that does not know it. @param {Upstream} upstream */
  async #rejoin(upstream) {
    const { initialize, level } = this.#spoken;
    await this.#ask(upstream, initialize);
    await upstream.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    if (level !== null) await this.#ask(upstream, level);
    // What it lists may have changed meanwhile.
    void this.#stdio.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    this.#options.report("The session was begun again.");
  }

  /** @param {Upstream} upstream @param {any} request @returns {Promise<void>} */
  #ask(upstream, request) {
    this.#ownIds += 1;
    const id = `toolroom-bridge-${this.#ownIds}`;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error("no answer to initialize")), REJOIN_LIMIT_MS);
      this.#own.set(id, () => {
        clearTimeout(limit);
        resolve();
      });
      upstream.send({ ...request, id }).catch((error) => {
        clearTimeout(limit);
        this.#own.delete(id);
        reject(error);
      });
    });
  }

  /** @param {any} message @param {Upstream} [upstream] */
  #toClient(message, upstream) {
    if (message.method === undefined) {
      const version = message.result?.protocolVersion;
      const own = this.#own.get(message.id);
      const answered = own ? this.#spoken.initialize : this.#pending.get(message.id)?.message;
      if (answered?.method === "initialize" && typeof version === "string") upstream?.setProtocolVersion(version);
      if (own !== undefined) {
        this.#own.delete(message.id);
        own();
        return;
      }
      this.#settle(message.id);
    }
    this.#stdio.send(message).catch((/** @type {unknown} */ error) => this.#options.report(reasonOf(error)));
  }
}

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {unknown} error */
const lostText = (error) => `Toolroom did not answer: ${reasonOf(error)}. The call may have run; the logbook knows.`;

/** @param {unknown} error */
function reasonOf(error) {
  if (!(error instanceof Error)) return String(error);
  const cause = /** @type {{ message?: unknown } | undefined} */ (error.cause)?.message;
  return typeof cause === "string" && cause !== "" ? `${error.message} (${cause})` : error.message;
}

/** @param {BridgeOptions} options */
export function startStdioBridge(options) {
  return new StdioBridge(options);
}
