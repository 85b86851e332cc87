import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import type {
  ExecutionCursor,
  ExecutionDetail,
  ExecutionFilter,
  ExecutionPage,
  ExecutionSummary,
} from "../../../lib/contract/execution";
import { CSV_MARK, formatCsvRow } from "../../../lib/format/csv";
import { AppError } from "../../platform/shared/app-error";
import { toDownloadHeaders, toTextStream } from "../../platform/shared/responses";
import { toExecutionText } from "./rest-calls";

export const EXPORT_FORMATS = ["jsonl", "csv"] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

const TYPES: Record<ExportFormat, string> = {
  csv: "text/csv; charset=utf-8",
  jsonl: "application/jsonl; charset=utf-8",
};
const PAGE = 200;
/** The calls that are read and written at a time: the least, and all of a page where they hold the event loop for a short time. */
const AT_ONCE = 40;
const SHORT_MS = 3;
const LONG_MS = 6;
const MAX_BYTES = 2 * 1024 * 1024;

const COLUMNS: readonly [name: string, read: (call: ExecutionDetail) => string | number | null][] = [
  ["id", ({ id }) => id],
  ["tool", ({ toolName }) => toolName],
  ["status", ({ status }) => status],
  ["error_kind", ({ errorKind }) => errorKind],
  ["queued_at", ({ queuedAt }) => new Date(queuedAt).toISOString()],
  ["finished_at", ({ finishedAt }) => (finishedAt === null ? null : new Date(finishedAt).toISOString())],
  ["duration_ms", ({ durationMs }) => durationMs],
  ["source", ({ source }) => source],
  ["user", ({ actor }) => actor.name],
  ["client", ({ client }) => client],
  ["server", ({ serverName }) => serverName],
  ["toolset", ({ toolset }) => toolset],
  ["run", ({ runId }) => runId],
  ["arguments", ({ argumentsText }) => argumentsText],
  ["result", ({ resultText }) => resultText],
  ["result_cut", ({ resultTruncated }) => String(resultTruncated)],
  ["error", ({ error }) => error],
  ["cost_usd", ({ cost }) => cost ?? null],
];

/** Executions as the reader of the file may see them. */
interface ExportReads {
  list(filter: ExecutionFilter, cursor: ExecutionCursor | undefined, limit: number): Promise<ExecutionPage>;
  getMany(ids: readonly string[]): Promise<ExecutionDetail[]>;
}

interface Writer {
  head: string;
  row(call: ExecutionDetail): string;
}

const WRITERS: Record<ExportFormat, Writer> = {
  jsonl: { head: "", row: (call) => `${toExecutionText(call)}\n` },
  csv: {
    head: formatCsvRow(COLUMNS.map(([name]) => name)),
    row: (call) => formatCsvRow(COLUMNS.map(([, read]) => read(call))),
  },
};

export interface ExportChoice {
  filter: ExecutionFilter & { token?: string; ids?: readonly string[] };
  format: ExportFormat;
  /** A CSV file begins with the mark that spreadsheet programs need. */
  bom: boolean;
  /** The reading token is limited to the calls that were made with it. */
  isLimited: boolean;
  /** Aborts when the reader may no longer read, or the server stops. */
  ended: AbortSignal;
  /** Called after the last piece, for any reason of the end. */
  onEnd(): void;
}

/** Executions with all that is stored of them, newest first, in pieces. */
export async function* exportExecutions(
  { list, getMany }: ExportReads,
  { onEnd, isLimited, ...choice }: ExportChoice,
): AsyncGenerator<string, void> {
  // The filter already limits the calls; they must not name others.
  const getOwn: typeof getMany = async (ids) =>
    (await getMany(ids)).map((call) => Object.assign(call, { parent: null, children: [] }));
  try {
    yield* writePieces({ list, getMany: isLimited ? getOwn : getMany }, choice);
  } finally {
    onEnd();
  }
}

async function* writePieces(
  { list, getMany }: ExportReads,
  { filter, format, bom, ended }: Omit<ExportChoice, "onEnd" | "isLimited">,
): AsyncGenerator<string, void> {
  const { head, row } = WRITERS[format];
  if (head !== "") yield bom && format === "csv" ? CSV_MARK + head : head;
  let atOnce = AT_ONCE;
  const pieces = listPieces(list, filter, () => atOnce);
  const read = async (): Promise<ExecutionDetail[] | null> => {
    const { value, done } = await pieces.next();
    return done ? null : await getMany(value);
  };
  let isElsewhere = false;
  let ahead: ReturnType<typeof read> | null = null;
  for (;;) {
    // The client sees a file that breaks off, not one that looks whole.
    if (ended.aborted) throw new AppError("UNAVAILABLE", "The export ended before its end");
    const begun = performance.now();
    const { active } = performance.eventLoopUtilization();
    const calls = await (ahead ?? read());
    if (calls === null) return;
    const piece = calls.map(row).join("");
    const tookMs = performance.now() - begun;
    const heldMs = Math.min(tookMs, performance.eventLoopUtilization().active - active);
    if (heldMs < SHORT_MS) atOnce = Math.min(PAGE, atOnce * 2);
    else if (heldMs > LONG_MS) atOnce = Math.max(AT_ONCE, atOnce >> 1);
    // PostgreSQL reads the next piece while this one is written.
    isElsewhere ||= heldMs < tookMs / 2;
    ahead = isElsewhere ? read() : null;
    ahead?.catch(() => undefined);
    if (piece !== "") yield piece;
    await yieldToOthers(heldMs);
  }
}

async function* listPieces(
  list: ExportReads["list"],
  filter: ExportChoice["filter"],
  getMost: () => number,
): AsyncGenerator<string[], void> {
  let cursor: ExecutionCursor | undefined;
  do {
    const page = await list(filter, cursor, PAGE);
    yield* takePieces(page.items, getMost);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** Other work gets this multiple of the time of a piece. */
const SHARE_OF_OTHERS = 4;
/** A turn of the event loop that is shorter had nothing to do. */
const IDLE_TURN_MS = 0.2;

/** SQLite answers at once: without turns of the event loop, other requests would wait for a whole file. */
async function yieldToOthers(tookMs: number): Promise<void> {
  for (let spentMs = 0; spentMs < tookMs * SHARE_OF_OTHERS; ) {
    const begun = performance.now();
    await setImmediate();
    const turnMs = performance.now() - begun;
    if (turnMs < IDLE_TURN_MS) return;
    spentMs += turnMs;
  }
}

/** Few calls with long results are a separate piece. */
function* takePieces(items: readonly ExecutionSummary[], getMost: () => number): Generator<string[], void> {
  let ids: string[] = [];
  let bytes = 0;
  for (const { id, storedBytes } of items) {
    if (ids.length >= getMost() || (ids.length > 0 && bytes + (storedBytes ?? 0) > MAX_BYTES)) {
      yield ids;
      ids = [];
      bytes = 0;
    }
    ids.push(id);
    bytes += storedBytes ?? 0;
  }
  if (ids.length > 0) yield ids;
}

function toExportHeaders(format: ExportFormat): Record<string, string> {
  const day = new Date().toISOString().slice(0, 10);
  return toDownloadHeaders(`toolroom-executions-${day}.${format}`, TYPES[format]);
}

interface ExportRequest extends Omit<ExportChoice, "ended" | "onEnd"> {
  watch: (onLost: () => void) => () => void;
  stopping: AbortSignal;
}

/** The file as a response, written only as fast as its reader takes it. */
export function answerExport(
  executions: { export(choice: ExportChoice): AsyncGenerator<string, void> },
  { watch, stopping, ...choice }: ExportRequest,
): Response {
  const lost = new AbortController();
  const onEnd = watch(() => lost.abort());
  const pieces = executions.export({ ...choice, onEnd, ended: AbortSignal.any([lost.signal, stopping]) });
  return new Response(toTextStream(pieces), { headers: toExportHeaders(choice.format) });
}
