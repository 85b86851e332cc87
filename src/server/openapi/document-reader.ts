import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { setImmediate as yieldTurn } from "node:timers/promises";
import type { ApiDocumentSource, ApiOutline, OperationFilter } from "../../lib/contract/api-document";
import { UNREADABLE } from "../engine/mcp-ports";
import { ConnectionError } from "../mcp/client/session/connection-error";
import { getMessage } from "../mcp/client/session/describe-error";
import { BoundedWorker } from "../platform/workers/bounded-worker";
import { createStart, WORKERS } from "../platform/workers/start-worker";
import { decodeText } from "./decode-text";
import type { ApiOperation } from "./operation";

/** A job for the thread that reads documents. */
export interface DocumentJob extends OperationFilter {
  text: string;
  /** The document's address, to which its references are relative; null where no other file may be read. */
  base: string | null;
  /** Files that the document refers to, by address. */
  files: Record<string, string>;
  /** Parameters that the settings send themselves; headers in lower case. */
  provided: { headers: string[]; query: string[] };
  /** The server's name: the prefix of its tools. */
  server: string;
  /** The base URL. */
  url: string;
  /** False: results are not promised. */
  outputSchemas: boolean;
  outlineOnly: boolean;
}

export type DocumentAnswer =
  | { needs: string[] }
  | { problem: string }
  /** Tools and operations as JSON texts, since copying objects between threads takes long. */
  | { outline: ApiOutline; tools: string[]; operations: string[]; omitted: number; notes: string[] };

export interface ReadApi {
  outline: ApiOutline;
  /** The tools in the form of an MCP server's list. */
  tools: unknown[];
  operations: ReadonlyMap<string, ApiOperation>;
  /** The number of operations beyond the limit. */
  omitted: number;
  /** Parts of operations that were left out. */
  notes: string[];
}

/** Reads an address, under the address policy. @throws Error */
export type FetchText = (url: string) => Promise<string>;

type Request = Omit<DocumentJob, "text" | "base" | "files">;

const LIMIT_MS = 120_000;
/** Documents are read rarely, and an idle thread keeps the memory of the last one. */
const IDLE_MS = 1000;
const MAX_FILE_BYTES = 67_108_864;
/** The files that a document refers to. */
const MAX_FILES = 200;
const MAX_ROUNDS = 10;
/** Users with credentials of their own read the same document. */
const MAX_REMEMBERED = 4;

/** Reads documents on a thread of its own, one at a time. */
export class DocumentReader {
  readonly #worker: BoundedWorker;
  readonly #remembered = new Map<string, Promise<ReadApi>>();

  constructor(home: string) {
    this.#worker = new BoundedWorker({
      start: createStart(home, WORKERS.openApi),
      limitMs: LIMIT_MS,
      exitReason: "it takes too much memory",
      idleMs: IDLE_MS,
    });
  }

  /** @throws ConnectionError that names the problem of the document, or why it cannot be read */
  async read(source: ApiDocumentSource, request: Request, fetchText: FetchText): Promise<ReadApi> {
    const text = await readText(source, fetchText);
    // A document of several files may have changed although its first one has not.
    if (source.from === "url")
      return await this.#readRounds({ ...request, text, base: source.url, files: {} }, fetchText);
    const key = createHash("sha256").update(JSON.stringify(request)).update(text).digest("hex");
    const known = this.#remembered.get(key);
    if (known !== undefined) return known;
    const reading = this.#readRounds({ ...request, text, base: null, files: {} }, fetchText);
    this.#remembered.set(key, reading);
    if (this.#remembered.size > MAX_REMEMBERED) this.#remembered.delete(this.#remembered.keys().next().value ?? "");
    reading.catch(() => this.#remembered.delete(key));
    return reading;
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  /** Reads the files that the thread names, until it needs no more. */
  async #readRounds(job: DocumentJob, fetchText: FetchText): Promise<ReadApi> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const answer = await this.#run(job);
      if ("problem" in answer) throw new ConnectionError("failed", answer.problem);
      if (!("needs" in answer)) return await toReadApi(answer);
      if (Object.keys(job.files).length + answer.needs.length > MAX_FILES) {
        throw new ConnectionError("failed", `The document refers to more than ${MAX_FILES} files: bundle it into one`);
      }
      for (const url of answer.needs) job.files[url] = await fetchText(url);
    }
    throw new ConnectionError("failed", `The document's files refer to each other too deeply: bundle it into one`);
  }

  async #run(job: DocumentJob): Promise<DocumentAnswer> {
    const answer = await this.#worker.run({ job });
    if (answer.kind === "answer") return answer.value as DocumentAnswer;
    const reason = answer.kind === "timeout" ? `it takes longer than ${LIMIT_MS / 1000} s` : answer.message;
    throw new ConnectionError("failed", `The document could not be read: ${reason}`);
  }
}

async function readText(source: ApiDocumentSource, fetchText: FetchText): Promise<string> {
  if (source.from === "text") return source.text ?? "";
  if (source.from === "url") return await fetchText(source.url);
  try {
    const { size } = await stat(source.path);
    if (size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes`);
    return decodeText(await readFile(source.path));
  } catch (error) {
    throw new ConnectionError("failed", `The document '${source.path}' cannot be read: ${getMessage(error)}`);
  }
}

/** Texts that are parsed before other work runs: a few milliseconds. */
const TURN = 20;

async function toReadApi({
  outline,
  tools,
  operations,
  omitted,
  notes,
}: Extract<DocumentAnswer, { tools: string[] }>): Promise<ReadApi> {
  const listed: unknown[] = [];
  for (const text of tools) {
    const { problem, ...tool } = JSON.parse(text) as Record<string, unknown>;
    listed.push(problem === undefined ? tool : { ...tool, [UNREADABLE]: problem });
    if (listed.length % TURN === 0) await yieldTurn();
  }
  const byName = new Map<string, ApiOperation>();
  for (const text of operations) {
    const operation = JSON.parse(text) as ApiOperation;
    byName.set(operation.name, operation);
    if (byName.size % TURN === 0) await yieldTurn();
  }
  return { outline, tools: listed, operations: byName, omitted, notes };
}
