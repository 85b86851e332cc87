// Runs as it is, without a build: the stdio gateway is a command.
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { findFragmentId, isAnswer } from "../../../platform/shared/line-splitter.mjs";
import { AnswerTexts, createLineFetch, createLineLimit, sentLine } from "./stdio-lines.mjs";
import {
  callFailure,
  errorAnswer,
  errorBody,
  invalidRequest,
  isStateless,
  lostText,
  requestHeaders,
  toReason,
  wasNotTaken,
} from "./stdio-messages.mjs";

/**
 * @typedef {Upstream} Upstream
 * @typedef {{ message: any, line: string | null, abort: AbortController, cancelled: boolean, upstream: Upstream | null }} Pending
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
/** The length of one line; the SDK's own buffer is larger, since it ends the connection when it is full. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const SDK_BUFFER_BYTES = 4 * MAX_LINE_BYTES;
/** How long requests that were read may still be answered once stdin has ended. */
const DRAIN_LIMIT_MS = 10_000;
const DRAIN_POLL_MS = 20;

/**
 * Carries messages between a client on stdio and the gateway over HTTP, as they are, so that every protocol that the
 * gateway speaks is spoken here too. When Toolroom goes away, open requests get clear errors, and the next message finds
 * it again; a session then starts again with the `initialize` of the client.
 */
class StdioBridge {
  #options;
  #stdio;
  /** @type {Promise<Upstream> | null} */
  #upstream = null;
  /** The upstream of `#upstream`, once it is connected. @type {Upstream | null} */
  #current = null;
  /** @type {Map<unknown, Pending>} */
  #pending = new Map();
  /** Replaced connections, until their last request has ended. @type {Set<Upstream>} */
  #retired = new Set();
  /** The client's messages that are sent again to a new session. @type {{ initialize: Message | null, level: Message | null }} */
  #spoken = { initialize: null, level: null };
  /** Answers to what the bridge itself asks. @type {Map<string, () => void>} */
  #own = new Map();
  #ownIds = 0;
  #texts = new AnswerTexts();
  #closing = false;
  /** Messages after `initialize` belong to the session that its answer begins, also when all were sent at once. */
  #begun = Promise.resolve();
  /** @type {{ id: unknown, open: () => void } | null} */
  #beginning = null;
  #inputEnded = false;
  /** @type {(exitCode: number) => void} */
  #onClosed = () => {};
  /** Resolves when the client is gone, with 0; with 1 when the connection broke before. @type {Promise<number>} */
  closed = new Promise((resolve) => {
    this.#onClosed = resolve;
  });

  /** @param {BridgeOptions} options */
  constructor(options) {
    this.#options = options;
    // The SDK's transport takes the end of its input for the end of everything; answers may still be on their way.
    const limited = createLineLimit(MAX_LINE_BYTES, (line) => this.#dropped(line));
    const input = options.input.pipe(limited, { end: false });
    let line = "";
    // Whole lines, one at a time, each before the SDK parses it.
    input.on("data", (/** @type {Buffer} */ chunk) => {
      line = chunk.toString();
    });
    options.input.once("close", () => void this.#drain(input));
    options.input.once("end", () => void this.#drain(input));
    this.#stdio = new StdioServerTransport(input, options.output, { maxBufferSize: SDK_BUFFER_BYTES });
    this.#stdio.onmessage = (/** @type {any} */ message) => void this.#fromClient(message, line);
    this.#stdio.onerror = (/** @type {Error} */ error) => options.report(`stdin: ${error.message}`);
    this.#stdio.onclose = () => this.#onClosed(this.#inputEnded || this.#closing ? 0 : 1);
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
    this.#inputEnded = true;
    const until = Date.now() + DRAIN_LIMIT_MS;
    // The last line was read and is still to be forwarded.
    await sleep(0);
    while (this.#pending.size > 0 && Date.now() < until && !this.#closing) await sleep(DRAIN_POLL_MS);
    input.end();
  }

  /** Refuses one message; the next line is read as usual. @param {import("../../../platform/shared/line-splitter.mjs").OversizedLine} line */
  #dropped(line) {
    const id = findFragmentId(line);
    const text = `The message of ${line.bytes} bytes was not sent: a message may have ${MAX_LINE_BYTES} bytes at most`;
    this.#options.report(text);
    const refusal = invalidRequest(id, text);
    // Toolroom waits for this answer: it gets an error in its place.
    if (!isAnswer(line.head)) this.#toClient(refusal);
    else if (id !== null) void this.#fromClient(refusal);
  }

  /** @param {any} message @param {string | null} [line] its text as the client wrote it */
  async #fromClient(message, line = null) {
    if (message.method === "notifications/cancelled" && this.#cancel(message)) return;
    if (message.method === "initialize") this.#begin(message);
    if (message.method === "logging/setLevel") this.#spoken.level = message;
    const isRequest = message.method !== undefined && message.id !== undefined;
    const pending = { message, line, abort: new AbortController(), cancelled: false, upstream: null };
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
   * A stateless call is cancelled by closing its request; in a session the message is passed on.
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
      // A message that was not accepted can be sent again; a call that may have run is not.
      const untouched = pending.upstream === null || wasNotTaken(error);
      if (untouched) this.#retire(pending.upstream);
      if (untouched && pending.upstream !== null && attempt < ATTEMPTS) {
        pending.upstream = null;
        await sleep(attempt * PAUSE_MS);
        continue;
      }
      const refusal = errorBody(error);
      if (!isRequest) this.#options.report(`${pending.message.method ?? "an answer"} was lost: ${toReason(error)}`);
      else if (refusal !== null) this.#toClient({ ...refusal, id: pending.message.id });
      else this.#unanswered(pending, untouched ? `Toolroom cannot be reached: ${toReason(error)}` : lostText(error));
      return;
    }
  }

  /** @param {Pending} pending @returns {Promise<unknown>} why it failed, null when it did not */
  async #attempt(pending) {
    try {
      const upstream = await this.#connected(pending.message);
      pending.upstream = upstream;
      const options = {
        requestSignal: pending.abort.signal,
        onRequestStreamEnd: () => this.#unanswered(pending, lostText("its connection was cut")),
      };
      await sentLine.run(pending.line, () => upstream.send(pending.message, options));
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

  /** @param {any} message the message to send */
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
    const requestInit = { headers: requestHeaders() };
    const upstream = new StreamableHTTPClientTransport(url, { requestInit, fetch: createLineFetch(this.#texts) });
    upstream.onmessage = (received) => this.#toClient(received, upstream);
    upstream.onerror = (error) => this.#options.report(`Toolroom at ${url.origin}: ${toReason(error)}`);
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
    // The list of tools may have changed.
    void this.#stdio.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    this.#options.report("A new session was started.");
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
        this.#texts.take(message.id);
        own();
        return;
      }
      this.#settle(message.id);
      const text = this.#texts.take(message.id);
      if (text !== undefined) return void this.#options.output.write(`${text}\n`);
    }
    this.#stdio.send(message).catch((/** @type {unknown} */ error) => this.#options.report(toReason(error)));
  }
}

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {BridgeOptions} options */
export function startStdioBridge(options) {
  return new StdioBridge(options);
}
