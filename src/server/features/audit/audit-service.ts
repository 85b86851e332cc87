import type { Actor } from "../../../lib/contract/actor";
import type { AuditEntry, AuditFacets, AuditPage } from "../../../lib/contract/audit-entry";
import type { AuditFilter, AuditFormat } from "../../../lib/contract/audit-filter";
import { formatCsvRow } from "../../../lib/format/csv";
import type { AuditEvent, AuditLog } from "./audit-log";
import type { AuditStore } from "./audit-store";

interface ExportFormat {
  head: string;
  row(entry: AuditEntry): string;
}

/** Formats one JSON object per line. */
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

const EXPORT_ROWS = 500;

/** Reads the audit log for the console, and records denials that are found before a service is reached. */
export function createAuditService({ store, log }: { store: AuditStore; log: AuditLog }) {
  return {
    list: (_actor: Actor, filter: AuditFilter, cursor: number | undefined, limit: number): Promise<AuditPage> =>
      store.list(filter, cursor, limit),

    facets: (_actor: Actor): Promise<AuditFacets> => store.facets(),

    /** The matching entries as a file, newest first, in pieces. */
    async export(_actor: Actor, filter: AuditFilter, format: AuditFormat): Promise<AsyncIterable<string>> {
      return exportPieces(store, filter, format === "csv" ? formatCsv : formatJsonLines);
    },

    /**
     * Records the refusal of a door that checks rights itself. The refusal is the answer, also where this entry cannot
     * be written.
     */
    async recordDenial(denial: Pick<AuditEvent, "by" | "action" | "error"> & { target?: AuditEvent["target"] }) {
      await log.record({ target: null, ...denial, outcome: "denied" }).catch(() => undefined);
    },
  };
}

async function* exportPieces(
  store: AuditStore,
  filter: AuditFilter,
  format: typeof formatCsv,
): AsyncGenerator<string, void> {
  yield format.head;
  let cursor: number | null | undefined;
  while (cursor !== null) {
    const { items, nextCursor } = await store.list(filter, cursor, EXPORT_ROWS);
    if (items.length > 0) yield items.map(format.row).join("");
    cursor = nextCursor;
  }
}
