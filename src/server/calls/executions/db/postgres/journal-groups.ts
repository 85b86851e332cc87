import type { ExecutionStart } from "../../../../engine/ports";
import type { BatchEntry } from "../execution-journal";
import { endRow, matchRows, preview, type SqlRow, startRow } from "../execution-statements";
import type { JournalStatement } from "./journal-statements";

export type Group = { entry: BatchEntry; row: SqlRow }[];
/** The rows of a batch by the statement that writes them. */
export type Groups = Partial<Record<JournalStatement, Group>>;
/** The hash of a call's definition, which is stored with the batch unless it is stored. */
export type FindHash = (start: ExecutionStart) => string | null;

export function groupEntries(entries: BatchEntry[], instanceId: string, findHash: FindHash): Groups {
  const groups: Groups = {};
  const add = (statement: JournalStatement, entry: BatchEntry, row: SqlRow): void => {
    const rows = groups[statement];
    if (rows === undefined) groups[statement] = [{ entry, row }];
    else rows.push({ entry, row });
  };
  for (const entry of entries) {
    const { kind, start, end, proceeding } = entry;
    entry.failure = null;
    entry.seq = 0;
    for (const row of matchRows(start)) add("matches", entry, row);
    if (kind === "begin") {
      const row = startRow(start, findHash(start), instanceId);
      row.status = start.waiting === true ? "waiting" : "running";
      add(start.listed === true ? "complete" : "begin", entry, row);
      // The call and its request must exist together.
      const { id: executionId, request } = start;
      if (request !== undefined) {
        const { requestedAt, expiresAt, mode } = request;
        add("approvals", entry, { executionId, requestedAt, expiresAt, mode });
      }
    } else if (proceeding !== null) {
      const { id, implementationType, serverName, timeoutMs } = start;
      const { argumentsText, startedAt } = proceeding;
      if (argumentsText !== undefined)
        add("edit", entry, { id, arguments: argumentsText, argumentsPreview: preview(argumentsText) });
      const definitionHash = findHash(start);
      add("proceed", entry, { id, startedAt, instanceId, definitionHash, implementationType, serverName, timeoutMs });
    } else if (end !== null && kind === "record") {
      add("record", entry, { ...startRow(start, findHash(start), instanceId), ...endRow(end) });
    } else if (end !== null) {
      const row = endRow(end);
      row.id = start.id;
      add("end", entry, row);
    }
  }
  return groups;
}
