import type { AuditEntry } from "../../../lib/contract/audit";
import { formatCsvRow } from "../../../lib/format/csv";

export interface ExportFormat {
  head: string;
  row(entry: AuditEntry): string;
}

/** One JSON object a line. */
export const formatJsonLines: ExportFormat = {
  head: "",
  row: ({ at, ...entry }) => `${JSON.stringify({ ...entry, at: new Date(at).toISOString() })}\n`,
};

const COLUMNS: readonly [name: string, read: (entry: AuditEntry) => string | number | null][] = [
  ["seq", ({ seq }) => seq],
  ["at", ({ at }) => new Date(at).toISOString()],
  ["actor_id", ({ actor }) => actor.id],
  ["actor", ({ actor }) => actor.name],
  ["token", ({ token }) => token],
  ["address", ({ address }) => address],
  ["door", ({ door }) => door],
  ["action", ({ action }) => action],
  ["target_kind", ({ target }) => target?.kind ?? null],
  ["target", ({ target }) => target?.name ?? null],
  ["outcome", ({ outcome }) => outcome],
  ["times", ({ times }) => times],
  ["error", ({ error }) => error],
  ["before", ({ before }) => before],
  ["after", ({ after }) => after],
  ["hash", ({ hash }) => hash],
];

export const formatCsv: ExportFormat = {
  head: formatCsvRow(COLUMNS.map(([name]) => name)),
  row: (entry) => formatCsvRow(COLUMNS.map(([, read]) => read(entry))),
};
