import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { statSync } from "node:fs";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { ConnectionFault } from "./connection-fault";
import { asMessage, isLooseMessage, type LooseMessage, messageAtEnd, recoverMessages } from "./json-rpc";
import { LineSplitter } from "./line-splitter";
import { ProcessGroup } from "./process-group";

export interface StdioCommand {
  command: string;
  args: readonly string[];
  environment: Record<string, string>;
  cwd: string;
}

export interface StdioTransportLimits {
  maxMessageBytes: number;
  maxLogLineChars: number;
  closeGraceMs: number;
  drainMs: number;
}

/** What a process says beside the protocol. */
export interface StdioEvents {
  stderr(line: string): void;
  /** Text on standard output that is no message; `recovered` when the message beside it could be read all the same. */
  garbage(text: string, recovered: boolean): void;
  /** A message that passed the limit is being thrown away; when it began, and when its end was seen. */
  tooLong(fragment: { head?: string; tail?: string; bytes?: number }): void;
}

export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Of standard error no more than this is read as one line. */
const MAX_STDERR_LINE_BYTES = 64 * 1024;

/**
 * The protocol over a process's standard streams. Unlike the SDK's own: the process leads a group that is ended as a whole,
 * what is printed between messages is reported and read past, one message cannot take all memory, and the end of the
 * process counts even while a grandchild holds its output open.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void;
  /** The text of the message that `onmessage` is being given. */
  receivedText = "";
  /** The text of the message that was sent last. */
  sentText = "";

  readonly #command: StdioCommand;
  readonly #limits: StdioTransportLimits;
  readonly #events: StdioEvents;
  #child: ChildProcessWithoutNullStreams | null = null;
  #group: ProcessGroup | null = null;
  #stdout: LineSplitter | null = null;
  #end: ProcessEnd | null = null;
  #starting: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  #drainTimer: NodeJS.Timeout | null = null;

  constructor(command: StdioCommand, limits: StdioTransportLimits, events: StdioEvents) {
    this.#command = command;
    this.#limits = limits;
    this.#events = events;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** How the process ended by itself; null while it runs and when we ended it. */
  get end(): ProcessEnd | null {
    return this.#end;
  }

  start(): Promise<void> {
    if (this.#closing !== null) return Promise.reject(new Error("the connection was closed before it began"));
    this.#starting = this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    const child = this.#spawn();
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(spawnFault(error, this.#command)));
    });
    if (child.pid === undefined) throw new ConnectionFault("failed", `'${this.#command.command}' could not be started`);
    this.#child = child;
    this.#group = new ProcessGroup(child, child.pid);
    this.#listen(child);
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === null || this.#closing !== null || !child.stdin.writable) {
      return Promise.reject(new Error("the process is not running"));
    }
    const text = JSON.stringify(message);
    this.sentText = text;
    if (child.stdin.writableLength > this.#limits.maxMessageBytes) {
      return Promise.reject(new Error("the process does not read its standard input"));
    }
    // Waiting for `drain` would only hold up the answer's timer: Node keeps what the pipe does not take yet.
    child.stdin.write(`${text}\n`);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#drainTimer !== null) clearTimeout(this.#drainTimer);
    this.onclose?.();
    // A process that is just being spawned would be left behind.
    await this.#starting?.catch(() => undefined);
    await this.#group?.end(this.#limits.closeGraceMs);
  }

  #spawn(): ChildProcessWithoutNullStreams {
    const { command, args, environment, cwd } = this.#command;
    requireFolder(cwd);
    try {
      return spawn(command, [...args], {
        cwd,
        env: environment as NodeJS.ProcessEnv,
        stdio: ["pipe", "pipe", "pipe"],
        detached: process.platform !== "win32",
        windowsHide: true,
      });
    } catch (error) {
      throw spawnFault(error as NodeJS.ErrnoException, this.#command);
    }
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    const { maxMessageBytes } = this.#limits;
    const { stderr, tooLong } = this.#events;
    const stdout = new LineSplitter(maxMessageBytes, {
      line: (text) => this.#line(text),
      tooLong: (head) => tooLong({ head }),
      tooLongEnded: ({ tail, bytes }) => {
        tooLong({ tail, bytes });
        const found = messageAtEnd(tail);
        if (found !== null) this.#deliver(found.message, found.text);
      },
    });
    const errors = new LineSplitter(MAX_STDERR_LINE_BYTES, {
      line: stderr,
      tooLong: () => undefined,
      tooLongEnded: ({ head, bytes }) => stderr(`${head}… [a line of ${bytes} bytes]`),
    });
    this.#stdout = stdout;
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
    child.stderr.on("end", () => errors.flush());
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      // A broken pipe says no more than the exit that follows it.
      stream.on("error", () => undefined);
    }
    child.on("exit", (code, signal) => {
      this.#end = { code, signal };
      this.#finishSoon();
    });
    child.stdout.on("close", () => this.#finishSoon());
    child.on("error", (error) => this.onerror?.(error));
  }

  /** Both the exit and the end of output may come first, or one of them not at all; what follows has a moment to come. */
  #finishSoon(): void {
    if (this.#closing !== null) return;
    if (this.#end !== null && this.#child?.stdout.closed === true) {
      this.#finish();
      return;
    }
    this.#drainTimer ??= setTimeout(() => this.#finish(), this.#limits.drainMs);
  }

  #finish(): void {
    if (this.#closing !== null) return;
    this.#stdout?.flush();
    void this.close();
  }

  #line(text: string): void {
    if (this.#closing !== null || text.trim() === "") return;
    const value = parseJson(text);
    if (isLooseMessage(value)) {
      this.#deliver(value, text);
      return;
    }
    // Batches are of older revisions of the protocol; nothing else sends arrays.
    if (Array.isArray(value) && value.length > 0 && value.every(isLooseMessage)) {
      for (const message of value) this.#deliver(message, "");
      return;
    }
    const { messages, garbage } = value === undefined ? recoverMessages(text) : { messages: [], garbage: text };
    if (garbage.trim() !== "") this.#events.garbage(garbage, messages.length > 0);
    for (const found of messages) this.#deliver(found.message, found.text);
  }

  #deliver(message: LooseMessage, text: string): void {
    this.receivedText = text;
    try {
      this.onmessage?.(asMessage(message));
    } finally {
      this.receivedText = "";
    }
  }
}

/** Undefined, which JSON cannot hold, for text that is none. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Without this a missing folder is reported as a missing command. */
function requireFolder(cwd: string): void {
  const found = statSync(cwd, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  const what = found === undefined ? "does not exist" : "is no folder";
  throw new ConnectionFault("failed", `The working folder '${cwd}' ${what}: create it or change the server's 'cwd'`);
}

function spawnFault(error: NodeJS.ErrnoException, { command }: StdioCommand): ConnectionFault {
  const options = { cause: error };
  switch (error.code) {
    case "ENOENT":
      return new ConnectionFault(
        "failed",
        `The command '${command}' was not found: install it, give its full path, or set PATH in the server's environment`,
        options,
      );
    case "EACCES":
      return new ConnectionFault(
        "failed",
        `The command '${command}' may not be executed: check its permissions`,
        options,
      );
    case "EINVAL":
      return new ConnectionFault(
        "failed",
        `The command '${command}' cannot be started directly. On Windows, scripts such as npx are started with the command 'cmd' and the arguments '/c', '${command}', …`,
        options,
      );
    case "EAGAIN":
    case "EMFILE":
    case "ENFILE":
    case "ENOMEM":
      return new ConnectionFault("disconnected", `The system had no room for another process (${error.code})`, options);
    default:
      return new ConnectionFault("failed", `The command '${command}' could not be started: ${error.message}`, options);
  }
}
