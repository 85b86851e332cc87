import type { HeldStatus } from "../../../../lib/contract/held-change";
import { parseWithDigits, stringifyWithDigits } from "../../../../lib/json/number-digits";
import type { ListedTool } from "../../../engine/mcp-ports";
import type { Database } from "../../../platform/db/database";
import { change, type Steps } from "../../../platform/db/sql";
import type { PinChange, PinDecision, PinStore, ToolPin } from "../../servers/server-store";

interface PinRow {
  toolName: string;
  approvedHash: string | null;
  approved: string | null;
  heldHash: string | null;
  heldAt: number | null;
  status: string;
  deciderId: string | null;
  deciderName: string | null;
  decidedAt: number | null;
}

const COLUMNS = `"toolName", "approvedHash", approved, "heldHash", "heldAt", status, "deciderId", "deciderName", "decidedAt"`;
const INSERT_SQL = `INSERT INTO "ToolPin" ("serverName", "toolName", "approvedHash", approved, "heldHash", "heldAt", status)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const UNDECIDED = `"deciderId" = NULL, "deciderName" = NULL, "decidedAt" = NULL`;

const SELECT = `SELECT ${COLUMNS} FROM "ToolPin" WHERE "serverName" = ?`;
/** Inserts or updates a waiting change, unless the entry is already approved or waits. */
const HOLD = `${INSERT_SQL} ON CONFLICT ("serverName", "toolName") DO UPDATE SET "heldHash" = excluded."heldHash",
    "heldAt" = excluded."heldAt", status = 'open', ${UNDECIDED}
  WHERE "ToolPin"."approvedHash" IS DISTINCT FROM excluded."heldHash"
    AND "ToolPin"."heldHash" IS DISTINCT FROM excluded."heldHash"`;
const PASS = `UPDATE "ToolPin" SET "approvedHash" = ?, approved = ?, "heldHash" = NULL, "heldAt" = NULL,
    status = 'approved', ${UNDECIDED} WHERE "serverName" = ? AND "toolName" = ?`;
const RESTORE = `UPDATE "ToolPin" SET "approvedHash" = ?, approved = ?, "heldHash" = ? WHERE "serverName" = ? AND "toolName" = ?`;
const DECIDED = `status = ?, "deciderId" = ?, "deciderName" = ?, "decidedAt" = ?`;
const AS_SHOWN = '"serverName" = ? AND "toolName" = ? AND "heldHash" = ? AND status = ?';
const KEEP = `UPDATE "ToolPin" SET ${DECIDED} WHERE ${AS_SHOWN}`;
/** Keeps the time since which the change waited, for alerts. */
const APPROVE = `UPDATE "ToolPin" SET "approvedHash" = "heldHash", approved = ?, "heldHash" = NULL, ${DECIDED} WHERE ${AS_SHOWN}`;

export function createPinStore(db: Database): PinStore {
  return {
    list: async (server) => (await db.rows<PinRow>(SELECT, server)).map(toPin),
    change: (server, changes) =>
      db.transaction(function* () {
        for (const one of changes) yield* writeChange(server, one);
      }),
    async decide(server, { tool, hash, status, decision, entry, by, at }: PinDecision) {
      const shown = [server, tool, hash, status];
      const changes =
        decision === "approve"
          ? await db.change(APPROVE, toText(entry), "approved", by.id, by.name, at, ...shown)
          : await db.change(KEEP, decision === "block" ? "blocked" : "ignored", by.id, by.name, at, ...shown);
      return changes === 1;
    },
    async clear(server) {
      await db.change('DELETE FROM "ToolPin" WHERE "serverName" = ?', server);
    },
  };
}

const toText = (entry: ListedTool): string => stringifyWithDigits(entry) ?? "null";

function* writeChange(server: string, given: PinChange): Steps<void> {
  const { tool, approved } = given;
  const entry = [approved?.hash ?? null, approved === null ? null : toText(approved.entry)];
  if (given.kind === "hold") yield* change(HOLD, server, tool, ...entry, given.hash, given.at, "open");
  else if (given.kind === "pass") yield* change(PASS, ...entry, server, tool);
  else yield* change(RESTORE, ...entry, given.heldHash, server, tool);
}

function toPin({ toolName, approvedHash, approved, heldHash, heldAt, status, ...row }: PinRow): ToolPin {
  const heldStatus: HeldStatus = status === "blocked" || status === "ignored" ? status : "open";
  const entry = approved === null ? undefined : parseEntry(approved);
  return {
    tool: toolName,
    approved: approvedHash === null || entry === undefined ? null : { hash: approvedHash, entry },
    held: heldHash === null ? null : { hash: heldHash, at: heldAt ?? 0, status: heldStatus },
    decidedBy: row.deciderId === null ? null : { id: row.deciderId, name: row.deciderName ?? row.deciderId },
    decidedAt: row.decidedAt,
  };
}

/** Undefined for a damaged text: the tool then waits like a new one. */
function parseEntry(text: string): ListedTool | undefined {
  try {
    return parseWithDigits(text) as ListedTool;
  } catch {
    return undefined;
  }
}
