import type { ServerResponse } from "node:http";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";

const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // A proxy that collects an answer before it passes it on would hold back progress.
  "x-accel-buffering": "no",
};
const ALIVE = ": keep-alive\n\n";

export interface ExchangeOptions {
  /** Answers that are awaited: more than one for a batch. */
  expected: number;
  batch: boolean;
  /** False when the client does not read streams: what comes before the answer is dropped. */
  streams: boolean;
  sessionId: string | undefined;
}

/**
 * The answer to one POST: a JSON body when nothing comes before the result, else a stream of events that ends with it.
 * Written for `node:http` itself, because the web-standard objects in between cost as much as the rest of a short call.
 */
export class HttpExchange {
  /** JSON texts. */
  readonly #answers: string[] = [];
  #streaming = false;
  #missing: number;
  #quiet = true;
  #beaten = false;
  /** What a slow reader has missed, by progress token: the newest goes out before the answer. */
  readonly #missed = new Map<unknown, JSONRPCMessage>();

  constructor(
    private readonly response: ServerResponse,
    private readonly options: ExchangeOptions,
  ) {
    this.#missing = options.expected;
  }

  get done(): boolean {
    return this.#missing <= 0 || this.response.destroyed;
  }

  /**
   * Something that is no answer: progress, a log line, a question to the client. While the client does not read,
   * notifications are dropped, so that a flood of them does not fill the memory.
   * @returns false when the client cannot receive it
   */
  push(message: JSONRPCMessage): boolean {
    if (this.done || !this.options.streams) return false;
    this.#open();
    const token = "method" in message && !("id" in message) ? message.params?.progressToken : undefined;
    if (this.response.writableNeedDrain && !("id" in message)) {
      if (token !== undefined) this.#missed.set(token, message);
      return true;
    }
    this.#missed.delete(token);
    this.#event(JSON.stringify(message));
    return true;
  }

  /**
   * @param text JSON in one line
   * @param status for an error that HTTP has a word for; used where the headers are not sent yet
   */
  answer(text: string, status = 200): void {
    if (this.#missing <= 0) return;
    this.#missing -= 1;
    if (this.response.destroyed) return;
    if (this.#streaming) {
      for (const missed of this.#missed.values()) this.#event(JSON.stringify(missed));
      this.#missed.clear();
      this.#event(text);
      if (this.#missing === 0) this.response.end();
      return;
    }
    this.#answers.push(text);
    if (this.#missing > 0) return;
    // A string, so that Node sends it in one piece with the headers.
    const body = this.options.batch ? `[${this.#answers.join(",")}]` : text;
    this.response.writeHead(
      status,
      this.#headers({ "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    );
    this.response.end(body);
  }

  /** Called at a steady beat; from the second on, an exchange that has been quiet says that it is alive. */
  beat(): void {
    if (this.done) return;
    if (this.#quiet && this.#beaten && this.options.streams && !this.response.writableNeedDrain) {
      this.#open();
      this.response.write(ALIVE);
    }
    this.#beaten = true;
    this.#quiet = true;
  }

  /** One of its requests will not be answered: it was cancelled. */
  drop(): void {
    if (this.#missing <= 0) return;
    this.#missing -= 1;
    if (this.#missing === 0) this.#end();
  }

  /** Ends without the answers that are still missing. */
  abandon(): void {
    if (this.#missing <= 0) return;
    this.#missing = 0;
    this.#end();
  }

  #end(): void {
    if (this.response.destroyed) return;
    // An empty stream says "no response" without saying that something failed.
    this.#open();
    this.response.end();
  }

  #open(): void {
    if (this.#streaming) return;
    this.#streaming = true;
    this.response.writeHead(200, this.#headers(STREAM_HEADERS));
    for (const text of this.#answers.splice(0)) this.#event(text);
  }

  #event(text: string): void {
    this.#quiet = false;
    this.response.write(`event: message\ndata: ${text}\n\n`);
  }

  #headers(headers: Record<string, string | number>): Record<string, string | number> {
    const { sessionId } = this.options;
    return sessionId === undefined ? headers : { ...headers, "mcp-session-id": sessionId };
  }
}

/** The stream that a client of the sessions' era opens with GET, for what belongs to no request. */
export class SessionStream {
  constructor(private readonly response: ServerResponse) {
    response.writeHead(200, STREAM_HEADERS);
    response.flushHeaders();
  }

  get open(): boolean {
    return !this.response.destroyed && !this.response.writableEnded;
  }

  push(message: JSONRPCMessage): void {
    if (this.open) this.response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  beat(): void {
    if (this.open && !this.response.writableNeedDrain) this.response.write(ALIVE);
  }

  end(): void {
    if (this.open) this.response.end();
  }
}

/** One timer for every open stream of the gateway, which does not keep the process alive. */
export class Heartbeat {
  readonly #members = new Set<{ beat(): void }>();
  readonly #timer: NodeJS.Timeout;

  constructor(everyMs: number) {
    this.#timer = setInterval(() => {
      for (const member of this.#members) member.beat();
    }, everyMs);
    this.#timer.unref();
  }

  add(member: { beat(): void }, response: ServerResponse): void {
    this.#members.add(member);
    response.once("close", () => this.#members.delete(member));
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#members.clear();
  }
}
