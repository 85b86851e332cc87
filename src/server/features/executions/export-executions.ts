import { setImmediate } from "node:timers/promises";
import type {
  ExecutionCursor,
  ExecutionDetail,
  ExecutionFilter,
  ExecutionSummary,
} from "../../../lib/contract/execution";
import { formatCsvRow } from "../../../lib/format/csv";
import { AppError } from "../../platform/shared/app-error";
import { toDownloadHeaders } from "../../platform/shared/responses";
import type { ExecutionService } from "./execution-service";
import { toExecutionText } from "./run-once";

export const EXPORT_FORMATS = ["jsonl", "csv"] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

const TYPES = { csv: "text/csv; charset=utf-8", jsonl: "application/jsonl; charset=utf-8" } as const;
const PAGE = 200;
/** What is read and written at a time: more would hold up other requests, and be held in memory. */
const AT_ONCE = 40;
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
];

const WRITERS: Record<ExportFormat, { head: string; row(call: ExecutionDetail): string }> = {
  jsonl: { head: "", row: (call) => `${toExecutionText(call)}\n` },
  csv: {
    head: formatCsvRow(COLUMNS.map(([name]) => name)),
    row: (call) => formatCsvRow(COLUMNS.map(([, read]) => read(call))),
  },
};

interface ExportChoice {
  filter: ExecutionFilter;
  format: ExportFormat;
  /** Aborts when the reader may not read any more, or the server stops. */
  ended: AbortSignal;
  /** Called after the last piece, whatever ended it. */
  onEnd(): void;
}

/** Executions with all that is stored of them, newest first, in pieces: as the reader of `list` and `getMany` may see them. */
export async function* exportExecutions(
  { list, getMany }: Pick<ExecutionService, "list" | "getMany">,
  { onEnd, ...choice }: ExportChoice,
): AsyncGenerator<string, void> {
  try {
    yield* writePieces({ list, getMany }, choice);
  } finally {
    onEnd();
  }
}

async function* writePieces(
  { list, getMany }: Pick<ExecutionService, "list" | "getMany">,
  { filter, format, ended }: Omit<ExportChoice, "onEnd">,
): AsyncGenerator<string, void> {
  const { head, row } = WRITERS[format];
  if (head !== "") yield head;
  let cursor: ExecutionCursor | undefined;
  do {
    const page = await list(filter, cursor, PAGE);
    for (const ids of takePieces(page.items)) {
      // The client sees a file that breaks off, not one that looks whole.
      if (ended.aborted) throw new AppError("UNAVAILABLE", "The export ended before its end");
      yield (await getMany(ids)).map(row).join("");
      // SQLite answers at once: without a turn of the event loop, other requests would wait for a whole file.
      await setImmediate();
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** Few calls with long results are a piece of their own. */
function* takePieces(items: readonly ExecutionSummary[]): Generator<string[], void> {
  let ids: string[] = [];
  let bytes = 0;
  for (const { id, storedBytes } of items) {
    if (ids.length === AT_ONCE || (ids.length > 0 && bytes + (storedBytes ?? 0) > MAX_BYTES)) {
      yield ids;
      ids = [];
      bytes = 0;
    }
    ids.push(id);
    bytes += storedBytes ?? 0;
  }
  if (ids.length > 0) yield ids;
}

export function toExportHeaders(format: ExportFormat): Record<string, string> {
  const day = new Date().toISOString().slice(0, 10);
  return toDownloadHeaders(`toolroom-executions-${day}.${format}`, TYPES[format]);
}
