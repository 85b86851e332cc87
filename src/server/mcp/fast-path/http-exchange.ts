import type { ServerResponse } from "node:http";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/server";
import { joinForWriting } from "./long-text";

const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // A proxy that collects an answer before it passes it on would hold back progress.
  "x-accel-buffering": "no",
};
const ALIVE = ": keep-alive\n\n";
const JSON_HEADERS = { "content-type": "application/json" };
/** The answer to a request whose head is sent but which will not be answered. */
const NOT_ANSWERED = { code: -32_000, message: "The call has ended without an answer" };

export interface ExchangeOptions {
  /** The number of awaited answers: more than one for a batch. */
  expected: number;
  batch: boolean;
  /** False when the client does not read streams: what comes before the answer is dropped. */
  streams: boolean;
  sessionId: string | undefined;
}

/**
 * The answer to one POST: a JSON body when nothing comes before the result, else a stream of events that ends with it.
 * The head of a JSON body may be sent before the result is ready. Uses `node:http` directly, because the web-standard
 * objects in between cost as much as the rest of a short call.
 */
export class HttpExchange {
  /** The answers as JSON texts. */
  readonly #answers: string[] = [];
  #streaming = false;
  /** The request whose JSON body has to follow, since the head is sent; null before. */
  #cutHead: RequestId | null = null;
  #missing: number;
  #quiet = true;
  #beaten = false;
  /** The progress that a slow reader has missed, by token: the newest goes out before the answer. */
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
    if (this.done || !this.options.streams || this.#cutHead !== null) return false;
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

  /** Sends the head of a JSON body, for a single request that gets nothing but its answer. */
  sendHead(id: RequestId): void {
    if (this.done || this.#streaming || this.options.batch) return;
    this.#cutHead = id;
    this.response.writeHead(200, this.#headers(JSON_HEADERS));
    this.response.flushHeaders();
  }

  /**
   * @param text JSON in one line, in parts
   * @param status for an error that HTTP has a word for; used where the headers are not sent yet
   */
  answer(text: readonly string[], status = 200): void {
    if (this.#missing <= 0) return;
    this.#missing -= 1;
    if (this.response.destroyed) return;
    if (this.#streaming) {
      for (const missed of this.#missed.values()) this.#event(JSON.stringify(missed));
      this.#missed.clear();
      this.#event(...text);
      if (this.#missing === 0) this.response.end();
      return;
    }
    if (this.#cutHead !== null) return void this.response.end(joinForWriting(text));
    if (this.options.batch) this.#answers.push(text.join(""));
    if (this.#missing > 0) return;
    // A short one is a string, so that Node sends it in one piece with the headers.
    const body = joinForWriting(this.options.batch ? [`[${this.#answers.join(",")}]`] : text);
    this.response.writeHead(status, this.#headers({ ...JSON_HEADERS, "content-length": Buffer.byteLength(body) }));
    this.response.end(body);
  }

  /** Called at a steady beat; from the second on, an exchange that has been quiet says that it is alive. */
  beat(): void {
    if (this.done) return;
    if (this.#quiet && this.#beaten && !this.response.writableNeedDrain) {
      if (this.#cutHead !== null) this.response.write("\n");
      else if (this.options.streams) {
        this.#open();
        this.response.write(ALIVE);
      }
    }
    this.#beaten = true;
    this.#quiet = true;
  }

  /** Called when one of the requests was cancelled and gets no answer. */
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
    const id = this.#cutHead;
    // The protocol wants no answer to what was cancelled, and lets clients ignore one; an empty body would be a fault.
    if (id !== null) return void this.response.end(JSON.stringify({ jsonrpc: "2.0", id, error: NOT_ANSWERED }));
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

  #event(...text: readonly string[]): void {
    this.#quiet = false;
    this.response.write(joinForWriting(["event: message\ndata: ", ...text, "\n\n"]));
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
    // Firefox takes a response for one that has not begun until its first byte comes.
    response.write(ALIVE);
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
