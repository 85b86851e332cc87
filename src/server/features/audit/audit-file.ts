import type { AuditFormat } from "../../../lib/contract/audit-filter";
import { CSV_MARK } from "../../../lib/format/csv";
import { toDownloadHeaders, toTextStream } from "../../platform/shared/responses";

const TYPES = { csv: "text/csv; charset=utf-8", jsonl: "application/jsonl; charset=utf-8" } as const;

/** Entries of the audit log as a download. @param isMarked CSV begins with the byte order mark that spreadsheet programs need */
export function toAuditFile(pieces: AsyncIterable<string>, format: AuditFormat, isMarked: boolean): Response {
  const day = new Date().toISOString().slice(0, 10);
  return new Response(toTextStream(format === "csv" && isMarked ? withMark(pieces) : pieces), {
    headers: toDownloadHeaders(`toolroom-audit-${day}.${format}`, TYPES[format]),
  });
}

async function* withMark(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  yield CSV_MARK;
  yield* pieces;
}
