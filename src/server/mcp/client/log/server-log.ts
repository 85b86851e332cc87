import { isPlainObject } from "../../../../lib/contract/json";
import type { ProtocolMessage, ServerLogLine } from "../../../../lib/contract/server";
import { parseExact } from "../../../../lib/json/exact-text";
import { writeKeptParts } from "../../../../lib/json/known-text";
import { isNestedDeeperThan, writeJson } from "../../../../lib/json/limits";
import { inheritDigits } from "../../../../lib/json/number-digits";
import { stripControlCharacters } from "../../../../lib/strip-control-characters";
import type { Clock } from "../../../engine/ports";
import type { ConnectionLimits } from "../connection/connection-limits";
import { getMessageKind, type LooseMessage } from "../transport/json-rpc";
import { flatHead, type Redactor } from "./redactor";

const TOO_DEEP = "(nested too deeply to be shown)";

type LogLimit = "maxLogLines" | "maxLogLineChars" | "maxMessages" | "maxMessageChars" | "logLinesPerSecond";
type RecordedMessage = Omit<ProtocolMessage, "text" | "bytes"> & { content: CompactMessage };

/** Quoted in errors: the last lines, and before them those that name an error. */
const LAST_STDERR_LINES = 5;
const KEPT_STDERR_LINES = 60;
const ERROR_LINE = /\b[A-Z]\w*(?:Error|Exception)\b|\bnpm (?:ERR!|error)|\b(?:error|fatal|panic(?:ked)?)\b(?=:|\[)/i;
const LAST_STDOUT_LINES = 10;
/** The number of error lines from the beginning and the end. */
const ERROR_LINES = 2;
const MAX_QUOTED_CHARS = 500;
/** Serializing JSON that is much deeper overflows the stack. */
const MAX_LEVELS = 200;
/** Space for escape sequences before the shown text. */
const MAX_HIDDEN_CHARS = 4096;

export interface ServerLogOptions {
  clock: Clock;
  redactor: Redactor;
  limits: Pick<ConnectionLimits, LogLimit>;
  onLine(line: ServerLogLine): void;
  /** Errors then quote no output: they are recorded where others than the log's owner read them. */
  withholdStderr?: boolean | undefined;
}

/** The newest log lines and protocol messages of one server, with its secrets redacted. */
export class ServerLog {
  readonly #options: ServerLogOptions;
  readonly #lines: RingBuffer<ServerLogLine>;
  readonly #messages: RingBuffer<RecordedMessage>;
  #lineSeq = 0;
  #messageSeq = 0;
  #lastStderr: string[] = [];
  #lastStdout: string[] = [];
  /** Lines of each stream in its current second. */
  readonly #seconds = new Map<string, { startedAt: number; lines: number }>();

  constructor(options: ServerLogOptions) {
    this.#options = options;
    this.#lines = new RingBuffer(options.limits.maxLogLines);
    this.#messages = new RingBuffer(options.limits.maxMessages);
  }

  /**
   * @returns false for a line that was dropped because its stream has too many in this second
   */
  add(stream: ServerLogLine["stream"], level: ServerLogLine["level"], text: string): boolean {
    // Toolroom's lines are limited by level: warnings that a server provokes must not displace its connection errors.
    if (!this.#isWithinRate(stream === "toolroom" ? `${stream} (${level})` : stream)) return false;
    this.#append(stream, level, text);
    return true;
  }

  #append(stream: ServerLogLine["stream"], level: ServerLogLine["level"], text: string): void {
    const { clock, limits, onLine } = this.#options;
    this.#lineSeq += 1;
    const quoted = this.quote(text, limits.maxLogLineChars);
    const line: ServerLogLine = { seq: this.#lineSeq, at: clock.now(), stream, level, text: quoted };
    this.#lines.add(line);
    onLine(line);
  }

  addStderr(text: string): void {
    if (text.trim() === "") return;
    this.#lastStderr = [...this.#lastStderr, this.quote(text, MAX_QUOTED_CHARS)].slice(-KEPT_STDERR_LINES);
    // Servers use stderr for all their diagnostics, not only for errors.
    this.add("stderr", "info", text);
  }

  #isWithinRate(stream: string): boolean {
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

  /** The newest lines on stderr since `clearOutput`, oldest first, after lines before them that name an error. */
  lastStderr(): string[] {
    if (this.#options.withholdStderr === true) return [];
    const last = this.#lastStderr.slice(-LAST_STDERR_LINES);
    const errors = this.#lastStderr.slice(0, -LAST_STDERR_LINES).filter((line) => ERROR_LINE.test(line));
    const shown = errors.filter((_, at) => at < ERROR_LINES || at >= errors.length - ERROR_LINES);
    return shown.length === 0 ? last : [...shown, "…", ...last];
  }

  /** Keeps a line on stdout that is no message, for errors: a command that is called wrongly explains itself there. */
  noteStdout(text: string): void {
    if (text.trim() === "") return;
    this.#lastStdout = [...this.#lastStdout, this.quote(text, MAX_QUOTED_CHARS)].slice(-LAST_STDOUT_LINES);
  }

  /** The newest lines on stdout since `clearOutput` that are no messages, oldest first. */
  lastStdout(): string[] {
    return this.#options.withholdStderr === true ? [] : this.#lastStdout;
  }

  /** Called before a new process starts. */
  clearOutput(): void {
    this.#lastStderr = [];
    this.#lastStdout = [];
  }

  /** A text of the server without secrets and control characters, cut to `maxChars`. */
  quote(text: string, maxChars: number): string {
    return this.#options.redactor.quote(stripShown(text, maxChars), maxChars);
  }

  /** Quotes like `quote`, for a text that callers receive: removes only the server's own secrets. */
  quoteForCaller(text: string, maxChars: number): string {
    return this.#options.redactor.quoteForCaller(stripShown(text, maxChars), maxChars);
  }

  /**
   * An entry of a list that clients receive, whose texts for users are without the server's own secrets. Everything
   * else, such as its schemas, stays as the server sent it.
   */
  readEntry<Entry>(entry: Entry): Entry {
    if (!isPlainObject(entry)) return entry;
    const clean = (text: unknown): unknown => (typeof text === "string" ? this.#options.redactor.applyOwn(text) : text);
    const { title, description } = entry;
    const cleanTitle = clean(title);
    const cleanDescription = clean(description);
    if (cleanTitle === title && cleanDescription === description) return entry;
    const cleaned = Object.entries(entry).map(([key, value]) => {
      if (key === "title") return [key, cleanTitle];
      return [key, key === "description" ? cleanDescription : value];
    });
    return inheritDigits(entry, Object.fromEntries(cleaned)) as Entry;
  }

  /**
   * A value for callers, without the server's own secrets; as text where it is too large, or is no longer valid JSON
   * after redaction.
   */
  redactJson(value: unknown, maxChars: number): unknown {
    if (isNestedDeeperThan(value, MAX_LEVELS)) return `[nested deeper than ${MAX_LEVELS} levels]`;
    const text = writeKeptParts(value);
    if (text === undefined) return undefined;
    const quoted = this.quoteForCaller(text, maxChars);
    if (quoted === text) return value;
    try {
      return parseExact(quoted);
    } catch {
      return quoted;
    }
  }

  lines(): ServerLogLine[] {
    return this.#lines.list();
  }

  /** @param text the message as sent over the wire; empty where only the SDK saw it */
  recordMessage(
    direction: ProtocolMessage["direction"],
    message: LooseMessage,
    text: string,
    method: string | null,
  ): void {
    const { clock, limits, redactor } = this.#options;
    this.#messageSeq += 1;
    this.#messages.add({
      seq: this.#messageSeq,
      at: clock.now(),
      direction,
      kind: getMessageKind(message),
      method,
      id: message.id === undefined || message.id === null ? null : String(message.id),
      content: compactMessage(message, text, limits.maxMessageChars + redactor.maxSecretChars),
    });
  }

  messages(): ProtocolMessage[] {
    const { redactor, limits } = this.#options;
    return this.#messages.list().map(({ content, ...recorded }) => {
      const { text, bytes } = expandMessage(content);
      return { ...recorded, text: redactor.head(text, limits.maxMessageChars), bytes };
    });
  }
}

/** Cleans only the part of a very long text that can be shown. */
function stripShown(text: string, maxChars: number): string {
  const seen = 4 * maxChars + MAX_HIDDEN_CHARS;
  return stripControlCharacters(text.slice(0, seen)) + text.slice(seen);
}

/** Keeps the newest `capacity` items; adding takes constant time. */
export class RingBuffer<Item> {
  readonly #items: Item[] = [];
  readonly #capacity: number;
  #oldest = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(item: Item): void {
    if (this.#items.length < this.#capacity) this.#items.push(item);
    else {
      this.#items[this.#oldest] = item;
      this.#oldest = (this.#oldest + 1) % this.#capacity;
    }
  }

  /** Oldest first. */
  list(): Item[] {
    return [...this.#items.slice(this.#oldest), ...this.#items.slice(0, this.#oldest)];
  }
}

/** A recorded message in the cheapest form; its text is made when the page shows it. */
type CompactMessage =
  | { form: "text"; text: string }
  | { form: "head"; head: string; chars: number }
  | { form: "value"; value: unknown };

/**
 * @param text the message's JSON text; empty where it is not known
 * @param maxChars the shown part plus the length of a secret that may lie across its end
 */
export function compactMessage(message: LooseMessage, text: string, maxChars: number): CompactMessage {
  if (text !== "") {
    return text.length <= maxChars
      ? { form: "text", text }
      : { form: "head", head: flatHead(text, maxChars), chars: text.length };
  }
  const size = estimateChars(message, maxChars);
  if (size <= maxChars) return { form: "value", value: message };
  // Serializing long strings whole would cost as much as the call itself.
  const shortened = stringify(message, (_key, value) =>
    typeof value === "string" && value.length > maxChars ? value.slice(0, maxChars) : value,
  );
  return { form: "head", head: flatHead(shortened, maxChars), chars: estimateChars(message, Number.POSITIVE_INFINITY) };
}

function stringify(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  try {
    return writeJson(value, replacer) ?? "";
  } catch {
    return TOO_DEEP;
  }
}

/** `bytes` is exact for whole messages and an estimate in characters for heads. */
export function expandMessage(kept: CompactMessage): { text: string; bytes: number } {
  if (kept.form === "head") return { text: kept.head, bytes: kept.chars };
  const text = kept.form === "text" ? kept.text : stringify(kept.value);
  return { text, bytes: Buffer.byteLength(text) };
}

/** An estimate of the JSON text's length; stops counting past `enough`. */
function estimateChars(value: unknown, enough: number): number {
  let chars = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && chars <= enough) {
    const next = waiting.pop();
    chars += 4;
    if (typeof next === "string") chars += next.length;
    else if (Array.isArray(next)) {
      chars += next.length;
      // Spreading a long list would overflow the stack.
      if (chars <= enough) for (const item of next) waiting.push(item);
    } else if (typeof next === "object" && next !== null) {
      for (const key of Object.keys(next)) {
        chars += key.length + 4;
        waiting.push((next as Record<string, unknown>)[key]);
      }
    }
  }
  return chars;
}
