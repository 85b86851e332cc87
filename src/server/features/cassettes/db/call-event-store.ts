import type { CallEvent, CallEvents } from "../../../../lib/contract/call-event";
import type { SqlAccess } from "../../../platform/db/sql";
import { AMONG } from "../../../platform/db/sql";
import type { CallEventStore } from "../cassette-store";

interface EventsRow {
  executionId: string;
  events: string;
  protocolError: string | null;
}

const INSERT =
  'INSERT INTO "ExecutionEvents" ("executionId", "events", "protocolError") VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
const SELECT = `SELECT "executionId", "events", "protocolError" FROM "ExecutionEvents" WHERE "executionId" ${AMONG}`;

export function createCallEventStore(db: SqlAccess): CallEventStore {
  return {
    async put(executionId, { events, protocolError }) {
      await db.change(INSERT, executionId, JSON.stringify(events), protocolError && JSON.stringify(protocolError));
    },
    async find(ids) {
      const rows = await db.rows<EventsRow>(SELECT, ids);
      return new Map(rows.map(({ executionId, events, protocolError }) => [executionId, read(events, protocolError)]));
    },
  };
}

function read(events: string, protocolError: string | null): CallEvents {
  return {
    events: JSON.parse(events) as CallEvent[],
    protocolError: protocolError === null ? null : (JSON.parse(protocolError) as CallEvents["protocolError"]),
  };
}
