import type { AuditEntry } from "../../../lib/contract/audit";

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

/** RFC 4180. */
export const formatCsv: ExportFormat = {
  head: `${COLUMNS.map(([name]) => name).join(",")}\r\n`,
  row: (entry) => `${COLUMNS.map(([, read]) => cell(read(entry))).join(",")}\r\n`,
};

/** Spreadsheets run a cell that begins with one of these as a formula. */
const FORMULA = /^[=+\-@\t\r\n]/;

function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) || text !== value ? `"${text.replaceAll('"', '""')}"` : text;
}
