import type { ProtocolMessage, ServerLogLine } from "../../../lib/contract";
import type { Clock } from "../../engine/ports";
import { cutText } from "./cut-text";
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
  stderrLinesPerSecond: number;
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
  #stderrSecond = { startedAt: 0, lines: 0 };

  constructor(options: ServerLogOptions) {
    this.#options = options;
    this.#lines = new RingBuffer(options.limits.maxLogLines);
    this.#messages = new RingBuffer(options.limits.maxMessages);
  }

  add(stream: ServerLogLine["stream"], level: ServerLogLine["level"], text: string): void {
    const { clock, redactor, limits, onLine } = this.#options;
    // Cut first: a line may be as long as a message.
    const cut = redactor.apply(cutText(text, limits.maxLogLineChars));
    this.#lineSeq += 1;
    const line: ServerLogLine = { seq: this.#lineSeq, at: clock.now(), stream, level, text: cut };
    this.#lines.add(line);
    onLine(line);
  }

  /** A server that prints without end fills neither the log nor the time of those who read it. */
  addStderr(text: string): void {
    if (text.trim() === "") return;
    this.#lastStderr = [...this.#lastStderr, cutText(text, MAX_QUOTED_CHARS)].slice(-LAST_STDERR_LINES);
    const now = this.#options.clock.elapsed();
    if (now - this.#stderrSecond.startedAt >= 1000) this.#beginSecond(now);
    this.#stderrSecond.lines += 1;
    // What is written there is no error: servers use it for all their diagnostics.
    if (this.#stderrSecond.lines <= this.#options.limits.stderrLinesPerSecond) this.add("stderr", "info", text);
  }

  #beginSecond(now: number): void {
    const left = this.#stderrSecond.lines - this.#options.limits.stderrLinesPerSecond;
    this.#stderrSecond = { startedAt: now, lines: 0 };
    if (left > 0) this.add("toolroom", "warn", `${left} lines of stderr were left out: too many in one second`);
  }

  /** The newest lines on stderr since `forgetStderr`, oldest first. */
  lastStderr(): string[] {
    return this.#lastStderr.map((line) => this.#options.redactor.apply(line));
  }

  /** What an earlier process said does not explain the end of the next one. */
  forgetStderr(): void {
    this.#lastStderr = [];
  }

  redact(text: string): string {
    return this.#options.redactor.apply(text);
  }

  lines(): ServerLogLine[] {
    return this.#lines.list();
  }

  /** @param text the message as it went over the wire, empty where only the SDK saw that */
  note(direction: ProtocolMessage["direction"], message: LooseMessage, text: string, method: string | null): void {
    const { clock, limits } = this.#options;
    this.#messageSeq += 1;
    this.#messages.add({
      seq: this.#messageSeq,
      at: clock.now(),
      direction,
      kind: kindOf(message),
      method,
      id: message.id === undefined || message.id === null ? null : String(message.id),
      kept: keepMessage(message, text, limits.maxMessageChars),
    });
  }

  messages(): ProtocolMessage[] {
    const { redactor, limits } = this.#options;
    return this.#messages.list().map(({ kept, ...noted }) => {
      const { text, bytes } = describeMessage(kept, limits.maxMessageChars);
      return { ...noted, text: redactor.apply(text), bytes };
    });
  }
}
