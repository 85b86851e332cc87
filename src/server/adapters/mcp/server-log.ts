import type { ProtocolMessage, ServerLogLine } from "../../../lib/contract";
import type { Clock } from "../../engine/ports";
import type { LooseMessage } from "./json-rpc";
import { kindOf } from "./json-rpc";
import { describeMessage, type KeptMessage, keepMessage } from "./message-text";
import type { Redactor } from "./redactor";
import { RingBuffer } from "./ring-buffer";

export interface ServerLogLimits {
  maxLogLines: number;
  maxLogLineChars: number;
  maxMessages: number;
  maxMessageChars: number;
  /** Of each stream. */
  logLinesPerSecond: number;
}

interface NotedMessage {
  seq: number;
  at: number;
  direction: ProtocolMessage["direction"];
  kind: ProtocolMessage["kind"];
  method: string | null;
  id: string | null;
  kept: KeptMessage;
}

/** Quoted in errors. */
const LAST_STDERR_LINES = 5;
const MAX_QUOTED_CHARS = 500;

export interface ServerLogOptions {
  clock: Clock;
  redactor: Redactor;
  limits: ServerLogLimits;
  onLine(line: ServerLogLine): void;
}

/** What one server said and what was said to it: the newest of each, without its secrets. */
export class ServerLog {
  readonly #options: ServerLogOptions;
  readonly #lines: RingBuffer<ServerLogLine>;
  readonly #messages: RingBuffer<NotedMessage>;
  #lineSeq = 0;
  #messageSeq = 0;
  #lastStderr: string[] = [];
  /** What came on each stream in its current second. */
  readonly #seconds = new Map<string, { startedAt: number; lines: number }>();

  constructor(options: ServerLogOptions) {
    this.#options = options;
    this.#lines = new RingBuffer(options.limits.maxLogLines);
    this.#messages = new RingBuffer(options.limits.maxMessages);
  }

  /**
   * A server that prints without end fills neither the log nor the time of those who read it.
   * @returns false for a line that was left out, since its stream had too many in this second
   */
  add(stream: ServerLogLine["stream"], level: ServerLogLine["level"], text: string): boolean {
    // What a server can bring about of our own remarks shall not hide how its connection goes.
    if (!this.#hasRoom(stream === "toolroom" ? `${stream} (${level})` : stream)) return false;
    this.#append(stream, level, text);
    return true;
  }

  #append(stream: ServerLogLine["stream"], level: ServerLogLine["level"], text: string): void {
    const { clock, redactor, limits, onLine } = this.#options;
    this.#lineSeq += 1;
    const quoted = redactor.quote(text, limits.maxLogLineChars);
    const line: ServerLogLine = { seq: this.#lineSeq, at: clock.now(), stream, level, text: quoted };
    this.#lines.add(line);
    onLine(line);
  }

  addStderr(text: string): void {
    if (text.trim() === "") return;
    this.#lastStderr = [...this.#lastStderr, this.quote(text, MAX_QUOTED_CHARS)].slice(-LAST_STDERR_LINES);
    // What is written there is no error: servers use it for all their diagnostics.
    this.add("stderr", "info", text);
  }

  #hasRoom(stream: string): boolean {
    const now = this.#options.clock.elapsed();
    const most = this.#options.limits.logLinesPerSecond;
    const second = this.#seconds.get(stream) ?? { startedAt: now, lines: 0 };
    this.#seconds.set(stream, second);
    if (now - second.startedAt >= 1000) {
      const left = second.lines - most;
      if (left > 0)
        this.#append("toolroom", "warn", `${left} lines of ${stream} were left out: too many in one second`);
      second.startedAt = now;
      second.lines = 0;
    }
    second.lines += 1;
    return second.lines <= most;
  }

  /** The newest lines on stderr since `forgetStderr`, oldest first. */
  lastStderr(): string[] {
    return [...this.#lastStderr];
  }

  /** What an earlier process said does not explain the end of the next one. */
  forgetStderr(): void {
    this.#lastStderr = [];
  }

  /** A text of the server's for people: without secrets, and not longer than so many characters. */
  quote(text: string, maxChars: number): string {
    return this.#options.redactor.quote(text, maxChars);
  }

  lines(): ServerLogLine[] {
    return this.#lines.list();
  }

  /** @param text the message as it went over the wire, empty where only the SDK saw that */
  note(direction: ProtocolMessage["direction"], message: LooseMessage, text: string, method: string | null): void {
    const { clock, limits, redactor } = this.#options;
    this.#messageSeq += 1;
    this.#messages.add({
      seq: this.#messageSeq,
      at: clock.now(),
      direction,
      kind: kindOf(message),
      method,
      id: message.id === undefined || message.id === null ? null : String(message.id),
      kept: keepMessage(message, text, limits.maxMessageChars + redactor.longest),
    });
  }

  messages(): ProtocolMessage[] {
    const { redactor, limits } = this.#options;
    return this.#messages.list().map(({ kept, ...noted }) => {
      const { text, bytes } = describeMessage(kept);
      return { ...noted, text: redactor.head(text, limits.maxMessageChars), bytes };
    });
  }
}
