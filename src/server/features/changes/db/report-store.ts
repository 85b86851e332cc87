import type { ChangeReplay } from "../../../../lib/contract/change-review";
import type { TrafficVerdict } from "../../../../lib/contract/change-verdict";
import type { Database } from "../../../platform/db/database";
import { change, type Steps, selectRows } from "../../../platform/db/sql";
import type { ReportStore, StoredReport } from "../report-store";

interface ReportRow {
  serverName: string;
  toolName: string;
  heldHash: string;
  judgedAt: number | null;
  traffic: string | null;
  replay: string | null;
}

interface ReplayableRow {
  toolName: string;
  personId: string;
  personName: string;
  at: number;
}

const COLUMNS = `"serverName", "toolName", "heldHash", "judgedAt", traffic`;
/** Deletes the report on an earlier change of the tool. */
const KEPT = (column: string) =>
  `CASE WHEN "ChangeReport"."heldHash" = excluded."heldHash" THEN "ChangeReport"."${column}" END`;
const ON_CONFLICT = `ON CONFLICT ("serverName", "toolName") DO UPDATE SET "heldHash" = excluded."heldHash"`;
const WRITE_TRAFFIC = `INSERT INTO "ChangeReport" ("serverName", "toolName", "heldHash", "judgedAt", traffic, "brokenIds")
  VALUES (?, ?, ?, ?, ?, ?) ${ON_CONFLICT}, "judgedAt" = excluded."judgedAt", traffic = excluded.traffic,
    "brokenIds" = excluded."brokenIds", replay = ${KEPT("replay")}`;
const WRITE_REPLAY = `INSERT INTO "ChangeReport" ("serverName", "toolName", "heldHash", replay) VALUES (?, ?, ?, ?)
  ${ON_CONFLICT}, replay = excluded.replay, "judgedAt" = ${KEPT("judgedAt")}, traffic = ${KEPT("traffic")},
    "brokenIds" = ${KEPT("brokenIds")}`;
const ALLOW = `INSERT INTO "ReplayableTool" ("serverName", "toolName", "personId", "personName", "at") VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;

export function createReportStore(db: Database): ReportStore {
  const read = (row: ReportRow): StoredReport | null =>
    db.damaged.read("change report", `${row.serverName} ${row.toolName}`, () => toReport(row));
  return {
    async list(server) {
      const rows = await db.rows<ReportRow>(
        `SELECT ${COLUMNS}, replay FROM "ChangeReport" WHERE "serverName" = ?`,
        server,
      );
      return rows.flatMap((row) => read(row) ?? []);
    },
    async listAll() {
      const rows = await db.rows<ReportRow>(`SELECT ${COLUMNS}, NULL AS replay FROM "ChangeReport"`);
      return rows.flatMap((row) => read(row) ?? []);
    },
    async listBroken(hash) {
      const rows = await db.rows<{ ids: string | null }>(
        `SELECT "brokenIds" AS ids FROM "ChangeReport" WHERE "heldHash" = ?`,
        hash,
      );
      return rows.flatMap(({ ids }) => (ids === null ? [] : (JSON.parse(ids) as string[])));
    },
    async writeTraffic({ server, tool, hash }, { traffic, brokenIds, at }) {
      const texts = [JSON.stringify(traffic), JSON.stringify(brokenIds)];
      await db.change(WRITE_TRAFFIC, server, tool, hash, at, ...texts);
    },
    async writeReplay({ server, tool, hash }, replay) {
      await db.change(WRITE_REPLAY, server, tool, hash, JSON.stringify(replay));
    },
    async keepOnly(server, tools) {
      const kept = new Set(tools);
      await db.transaction(function* () {
        for (const tool of yield* selectTools("ChangeReport", server)) {
          if (!kept.has(tool)) yield* change(DELETE.ChangeReport, server, tool);
        }
      });
    },
    async replayable(server) {
      const rows = await db.rows<ReplayableRow>(
        `SELECT "toolName", "personId", "personName", "at" FROM "ReplayableTool" WHERE "serverName" = ? ORDER BY "toolName"`,
        server,
      );
      return rows.map(({ toolName, personId, personName, at }) => ({
        tool: toolName,
        by: { id: personId, name: personName },
        at,
      }));
    },
    async setReplayable(server, tools, by, at) {
      const wanted = new Set(tools);
      await db.transaction(function* () {
        for (const tool of yield* selectTools("ReplayableTool", server)) {
          if (!wanted.has(tool)) yield* change(DELETE.ReplayableTool, server, tool);
        }
        for (const tool of wanted) yield* change(ALLOW, server, tool, by.id, by.name, at);
      });
    },
  };
}

type Table = "ChangeReport" | "ReplayableTool";
const DELETE: Record<Table, string> = {
  ChangeReport: 'DELETE FROM "ChangeReport" WHERE "serverName" = ? AND "toolName" = ?',
  ReplayableTool: 'DELETE FROM "ReplayableTool" WHERE "serverName" = ? AND "toolName" = ?',
};

function* selectTools(table: Table, server: string): Steps<string[]> {
  const rows = yield* selectRows<{ toolName: string }>(
    `SELECT "toolName" FROM "${table}" WHERE "serverName" = ?`,
    server,
  );
  return rows.map(({ toolName }) => toolName);
}

export async function forgetChangeReports(db: Database, server: string): Promise<void> {
  await db.change('DELETE FROM "ChangeReport" WHERE "serverName" = ?', server);
  await db.change('DELETE FROM "ReplayableTool" WHERE "serverName" = ?', server);
}

export async function renameChangeReports(db: Database, from: string, to: string): Promise<void> {
  await forgetChangeReports(db, to);
  await db.change('UPDATE "ChangeReport" SET "serverName" = ? WHERE "serverName" = ?', to, from);
  await db.change('UPDATE "ReplayableTool" SET "serverName" = ? WHERE "serverName" = ?', to, from);
}

function toReport({ serverName, toolName, heldHash, judgedAt, traffic, replay }: ReportRow): StoredReport {
  return {
    server: serverName,
    tool: toolName,
    hash: heldHash,
    judgedAt,
    traffic: traffic === null ? null : (JSON.parse(traffic) as TrafficVerdict),
    replay: replay === null ? null : (JSON.parse(replay) as ChangeReplay),
  };
}
