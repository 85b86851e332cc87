import type { ExecutionCursor, ExecutionDetail, ExecutionFilter } from "../../../lib/contract/execution";
import { formatCsvRow } from "../../../lib/format/csv";
import { AppError, findAppError } from "../../platform/shared/app-error";
import { toDownloadHeaders } from "../../platform/shared/responses";
import type { ExecutionService } from "./execution-service";
import { toExecutionText } from "./run-once";

export const EXPORT_FORMATS = ["jsonl", "csv"] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

const TYPES = { csv: "text/csv; charset=utf-8", jsonl: "application/jsonl; charset=utf-8" } as const;
const PAGE = 200;
/** Details that are read at a time: more would hold up other requests. */
const AT_ONCE = 10;

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

/** Executions with all that is stored of them, newest first, in pieces: as the reader of `list` and `get` may see them. */
export async function* exportExecutions(
  { list, get }: Pick<ExecutionService, "list" | "get">,
  { onEnd, ...choice }: ExportChoice,
): AsyncGenerator<string, void> {
  try {
    yield* writePieces({ list, get }, choice);
  } finally {
    onEnd();
  }
}

async function* writePieces(
  { list, get }: Pick<ExecutionService, "list" | "get">,
  { filter, format, ended }: Omit<ExportChoice, "onEnd">,
): AsyncGenerator<string, void> {
  const { head, row } = WRITERS[format];
  if (head !== "") yield head;
  let cursor: ExecutionCursor | undefined;
  do {
    const page = await list(filter, cursor, PAGE);
    for (let at = 0; at < page.items.length; at += AT_ONCE) {
      // The client sees a file that breaks off, not one that looks whole.
      if (ended.aborted) throw new AppError("UNAVAILABLE", "The export ended before its end");
      const calls = await Promise.all(page.items.slice(at, at + AT_ONCE).map(({ id }) => findOrNull(get, id)));
      yield calls.map((call) => (call === null ? "" : row(call))).join("");
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** Null for one that was deleted since it was listed. */
async function findOrNull(get: ExecutionService["get"], id: string): Promise<ExecutionDetail | null> {
  try {
    return await get(id);
  } catch (error) {
    if (findAppError(error)?.code === "NOT_FOUND") return null;
    throw error;
  }
}

export function toExportHeaders(format: ExportFormat): Record<string, string> {
  const day = new Date().toISOString().slice(0, 10);
  return toDownloadHeaders(`toolroom-executions-${day}.${format}`, TYPES[format]);
}
