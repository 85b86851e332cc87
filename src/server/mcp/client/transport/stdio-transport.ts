import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isBeyondLimits } from "../../../../lib/json/limits";
import { INLINE_CHARS } from "../../../../lib/parse-in-slices";
import { LineSplitter } from "../../../platform/shared/line-splitter.mjs";
import { joinForWriting, toLoggedText, toMessageText } from "../../fast-path/long-text";
import { readPaced } from "../../fast-path/paced-reading";
import { parseMessage } from "../../fast-path/parse-message";
import type { ConnectionLimits } from "../connection/connection-limits";
import { createMarker, MARKER_VARIABLE } from "../process/orphaned-processes";
import { ProcessGroup } from "../process/process-group";
import { ConnectionError } from "../session/connection-error";
import type { Inflow } from "./inflow";
import { isLooseMessage, type LooseMessage, messageAtEnd, recoverMessages, toSdkMessage } from "./json-rpc";
import { MessageLines } from "./message-lines";
import { normalizeMessage } from "./normalize-message";
import { type StdioCommand, spawnCommand, toSpawnError } from "./spawn-command";

export type StdioTransportLimits = Pick<ConnectionLimits, "maxMessageBytes" | "closeGraceMs" | "drainMs">;

/** A message that passed the size limit: first its head, later its tail and size. */
export interface OversizedMessage {
  head?: string;
  tail?: string;
  bytes?: number;
  /** Why the message was dropped; by default for its size. */
  reason?: string;
}

/** Output that is not a message of the protocol. */
export interface StdioEvents {
  stderr(line: string): void;
  /** Text on standard output that is no message; `recovered` when the message beside it could still be read. */
  noise(text: string, recovered: boolean): void;
  oversized(fragment: OversizedMessage): void;
  /** Returns a promise that delays the next read. Default: no delay. */
  pause?: Inflow["pause"] | undefined;
}

export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Characters kept from both ends of a dropped message, to find its id. */
const KEPT_CHARS = 4096;
/** How long to wait for the rest of a message that spans several lines. */
const INCOMPLETE_MS = 2000;
/** A longer line on standard error is cut. */
const MAX_STDERR_LINE_BYTES = 64 * 1024;

/**
 * MCP over a process's standard streams. Unlike the SDK's transport it ends the whole process group, reports and skips
 * text between messages, limits the size of a message, and notices the end of the process even while a grandchild holds
 * its output open.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void;
  /** The text of the message that is being passed to `onmessage`. */
  receivedText = "";
  /** The text of the last sent message; empty for a long one. */
  sentText = "";

  readonly #command: StdioCommand;
  readonly #limits: StdioTransportLimits;
  readonly #events: StdioEvents;
  readonly #marker = createMarker();
  #child: ChildProcessWithoutNullStreams | null = null;
  #group: ProcessGroup | null = null;
  #stdout: LineSplitter | null = null;
  /** Lines that wait behind a large one, which is parsed in slices. */
  readonly #waitingLines: string[] = [];
  #parsing: Promise<void> | null = null;
  #end: ProcessEnd | null = null;
  #starting: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  #drainTimer: NodeJS.Timeout | null = null;
  #flushTimer: NodeJS.Timeout | null = null;
  readonly #lines: MessageLines;

  constructor(command: StdioCommand, limits: StdioTransportLimits, events: StdioEvents) {
    this.#command = command;
    this.#limits = limits;
    this.#events = events;
    this.#lines = new MessageLines(limits.maxMessageBytes);
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** How the process ended on its own; null while it runs and when Toolroom ended it. */
  get end(): ProcessEnd | null {
    return this.#end;
  }

  /** Whether the process, or all processes that share its output, closed it. */
  get closedOutput(): boolean {
    return this.#child?.stdout.closed === true;
  }

  start(): Promise<void> {
    if (this.#closing !== null) return Promise.reject(new Error("the connection was closed before it began"));
    this.#starting = this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    const child = spawnCommand(this.#command, { [MARKER_VARIABLE]: this.#marker });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(toSpawnError(error, this.#command.command)));
    });
    if (child.pid === undefined) throw new ConnectionError("failed", `'${this.#command.command}' could not be started`);
    this.#child = child;
    this.#group = new ProcessGroup(child, child.pid, this.#marker);
    this.#listen(child);
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === null || this.#closing !== null || !child.stdin.writable) {
      return Promise.reject(new Error("the process is not running"));
    }
    const text = toMessageText(message as LooseMessage);
    this.sentText = toLoggedText(text);
    if (child.stdin.writableLength > this.#limits.maxMessageBytes) {
      return Promise.reject(new Error("the process does not read its standard input"));
    }
    // Does not wait for `drain`: Node buffers the data that the pipe does not accept yet.
    child.stdin.write(joinForWriting([...text, "\n"]));
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#drainTimer !== null) clearTimeout(this.#drainTimer);
    if (this.#flushTimer !== null) clearTimeout(this.#flushTimer);
    this.onclose?.();
    // A process that is being spawned would otherwise be left behind.
    await this.#starting?.catch(() => undefined);
    await this.#group?.end(this.#limits.closeGraceMs);
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    const { maxMessageBytes } = this.#limits;
    const { stderr, oversized } = this.#events;
    const stdout = new LineSplitter(maxMessageBytes, {
      line: (text) => this.#handleLine(text),
      oversized: (head) => oversized({ head }),
      oversizedEnd: ({ tail, bytes }) => {
        oversized({ tail, bytes });
        const found = messageAtEnd(tail);
        if (found !== null) this.#deliver(found.message, found.text);
      },
    });
    const errors = new LineSplitter(MAX_STDERR_LINE_BYTES, {
      line: stderr,
      oversizedEnd: ({ head, bytes }) => stderr(`${head}… [a line of ${bytes} bytes]`),
    });
    this.#stdout = stdout;
    readPaced(child.stdout, (chunk) => {
      stdout.push(chunk);
      return this.#parsing;
    });
    readPaced(child.stderr, (chunk) => {
      errors.push(chunk);
      return null;
    });
    child.stderr.on("end", () => errors.flush());
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      // The exit that follows a broken pipe is reported instead.
      stream.on("error", () => undefined);
    }
    child.on("exit", (code, signal) => {
      this.#end = { code, signal };
      this.#finishAfterDrain();
    });
    child.stdout.on("close", () => this.#finishAfterDrain());
    child.on("error", (error) => this.onerror?.(error));
  }

  /** The exit and the end of output come in any order, and one may be missing: the other one gets `drainMs` to follow. */
  #finishAfterDrain(): void {
    if (this.#closing !== null) return;
    if (this.#end !== null && this.#child?.stdout.closed === true) {
      this.#finish();
      return;
    }
    this.#drainTimer ??= setTimeout(() => this.#finish(), this.#limits.drainMs);
  }

  #finish(): void {
    if (this.#closing !== null) return;
    if (this.#parsing !== null) {
      // Input that follows a large message is read only after it.
      void this.#parsing.then(() => {
        this.#drainTimer = null;
        this.#finishAfterDrain();
      });
      return;
    }
    this.#stdout?.flush();
    this.#flushLines();
    void (this.#parsing ?? Promise.resolve()).then(() => this.close());
  }

  #handleLine(line: string): void {
    if (this.#closing !== null) return;
    for (const text of this.#lines.add(line)) this.#handleText(text);
    this.#scheduleFlush();
  }

  /** Text that only looks like the beginning of a message is reported although nothing follows it. */
  #scheduleFlush(): void {
    if (this.#flushTimer !== null) clearTimeout(this.#flushTimer);
    this.#flushTimer = this.#lines.isEmpty ? null : setTimeout(() => this.#flushLines(), INCOMPLETE_MS).unref();
  }

  #flushLines(): void {
    this.#flushTimer = null;
    for (const text of this.#lines.flush()) if (this.#closing === null) this.#handleText(text);
  }

  #handleText(text: string): void {
    if (this.#parsing === null && text.length <= INLINE_CHARS) {
      this.#handleValue(parseContainer(text), text);
      const pause = this.#events.pause?.() ?? null;
      if (pause !== null) this.#parseLater(pause);
      return;
    }
    this.#waitingLines.push(text);
    if (this.#parsing === null) this.#parseLater(null);
  }

  #parseLater(pause: Promise<void> | null): void {
    this.#parsing = this.#parseWaitingLines(pause).finally(() => {
      this.#parsing = null;
    });
  }

  async #parseWaitingLines(pause: Promise<void> | null): Promise<void> {
    if (pause !== null) await pause;
    for (let text = this.#waitingLines.shift(); text !== undefined; text = this.#waitingLines.shift()) {
      const value = await this.#parseLine(text);
      if (this.#closing !== null) return;
      if (value === null) continue;
      try {
        this.#handleValue(value, text);
      } catch (error) {
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
      await this.#events.pause?.();
    }
  }

  /** Null for a message that was dropped. */
  async #parseLine(text: string): Promise<unknown> {
    try {
      return isContainer(text) ? await parseMessage(text) : undefined;
    } catch (error) {
      if (!isBeyondLimits(error)) return undefined;
      const head = text.slice(0, KEPT_CHARS);
      const tail = text.slice(-KEPT_CHARS);
      this.#events.oversized({ head, tail, bytes: text.length, reason: error.message });
      return null;
    }
  }

  #handleValue(read: unknown, text: string): void {
    const value = normalizeMessage(read);
    if (isLooseMessage(value)) {
      this.#deliver(value, text);
      return;
    }
    // Older revisions of the protocol allow batches.
    const batch = Array.isArray(value) ? value.map(normalizeMessage) : [];
    if (batch.length > 0 && batch.every(isLooseMessage)) {
      for (const message of batch) this.#deliver(message, "");
      return;
    }
    if (text.trim() === "") return;
    const { messages, noise } = value === undefined ? recoverMessages(text) : { messages: [], noise: text };
    if (noise.trim() !== "") this.#events.noise(noise, messages.length > 0);
    for (const found of messages) this.#deliver(found.message, found.text);
  }

  #deliver(message: LooseMessage, text: string): void {
    this.receivedText = text;
    this.#group?.noteMessage();
    try {
      this.onmessage?.(toSdkMessage(message));
    } finally {
      this.receivedText = "";
    }
  }
}

/** Whether both ends look like an object or an array: a failed parse is expensive. */
function isContainer(text: string): boolean {
  const trimmed = text.trim();
  return (trimmed.startsWith("{") && trimmed.endsWith("}")) || (trimmed.startsWith("[") && trimmed.endsWith("]"));
}

/** An object or an array; undefined for any other text. The text is at most `INLINE_CHARS` long. */
function parseContainer(text: string): unknown {
  if (!isContainer(text)) return undefined;
  try {
    return parseMessage(text);
  } catch {
    return undefined;
  }
}
