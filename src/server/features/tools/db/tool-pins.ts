import type { HeldStatus } from "../../../../lib/contract/held-change";
import type { ListedTool } from "../../../engine/mcp-ports";
import type { SqliteDatabase } from "../../../platform/db/database";
import { prepareWith } from "../../../platform/db/sqlite/prepare-with";
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

export function createPinStore(db: SqliteDatabase): PinStore {
  const { raw } = db;
  const { rows, write } = prepareWith(db);
  const select = rows<PinRow>(`SELECT ${COLUMNS} FROM "ToolPin" WHERE "serverName" = ?`);
  // The entry may be approved, or held, already.
  const hold = write(`${INSERT_SQL} ON CONFLICT DO UPDATE SET "heldHash" = excluded."heldHash",
    "heldAt" = excluded."heldAt", status = 'open', ${UNDECIDED}
    WHERE "approvedHash" IS NOT excluded."heldHash" AND "heldHash" IS NOT excluded."heldHash"`);
  const pass = write(`UPDATE "ToolPin" SET "approvedHash" = ?, approved = ?, "heldHash" = NULL, "heldAt" = NULL,
    status = 'approved', ${UNDECIDED} WHERE "serverName" = ? AND "toolName" = ?`);
  const remember = write(`${INSERT_SQL} ON CONFLICT DO NOTHING`);
  const decided = `status = ?, "deciderId" = ?, "deciderName" = ?, "decidedAt" = ?`;
  const asShown = '"serverName" = ? AND "toolName" = ? AND "heldHash" = ? AND status = ?';
  const block = write(`UPDATE "ToolPin" SET ${decided} WHERE ${asShown}`);
  const approve = write(`UPDATE "ToolPin" SET "approvedHash" = "heldHash", approved = ?, "heldHash" = NULL,
    "heldAt" = NULL, ${decided} WHERE ${asShown}`);
  const remove = write('DELETE FROM "ToolPin" WHERE "serverName" = ?');

  const changeTogether = raw.transaction((server: string, changes: readonly PinChange[]): void => {
    for (const change of changes) {
      const { tool, approved } = change;
      const entry = [approved?.hash ?? null, approved === null ? null : JSON.stringify(approved.entry)];
      if (change.kind === "hold") hold.run(server, tool, ...entry, change.hash, change.at, "open");
      else if (change.kind === "pass") pass.run(...entry, server, tool);
      else remember.run(server, tool, ...entry, null, null, "approved");
    }
  });

  return {
    list: async (server) => select.all(server).map(toPin),
    change: (server, changes) => db.write(() => changeTogether.immediate(server, changes)),
    decide: (server, { tool, hash, status, decision, entry, by, at }: PinDecision) =>
      db.write(() => {
        const shown = [server, tool, hash, status];
        const { changes } =
          decision === "approve"
            ? approve.run(JSON.stringify(entry), "approved", by.id, by.name, at, ...shown)
            : block.run("blocked", by.id, by.name, at, ...shown);
        return changes === 1;
      }),
    clear: (server) => db.write(() => void remove.run(server)),
  };
}

function toPin({ toolName, approvedHash, approved, heldHash, heldAt, status, ...row }: PinRow): ToolPin {
  const heldStatus: HeldStatus = status === "blocked" ? "blocked" : "open";
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
    return JSON.parse(text) as ListedTool;
  } catch {
    return undefined;
  }
}
