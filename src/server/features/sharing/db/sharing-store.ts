import { nanoid } from "nanoid";
import type { Actor } from "../../../../lib/contract/actor";
import { TOOL_SEPARATOR } from "../../../../lib/contract/server";
import type { Clock } from "../../../engine/ports";
import { TimeSlice } from "../../../engine/time-slice";
import type { SqliteDatabase } from "../../../platform/db/database";
import { snapshotDefinition } from "../../../platform/db/definition-hash";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import { isUniqueViolation } from "../../../platform/db/storage-error";
import { AppError } from "../../../platform/shared/app-error";
import { sealSecrets } from "../../servers/db/server-store";
import type { SecretBox } from "../../servers/server-store";
import { prepareFactWrites } from "../../tools/db/tool-facts";
import { readMode } from "../../tools/db/tool-store";
import { prepareVersionWrites } from "../../tools/db/tool-versions";
import type { BatchServer, BatchTool, BatchToolset, CatalogBatch, SharingStore } from "../sharing-store";

interface SharingStorePorts {
  db: SqliteDatabase;
  secretBox: SecretBox;
  clock: Pick<Clock, "now">;
}

/** Writes imports: tools, servers, toolsets, lenses and approval settings in one transaction. */
export function createSharingStore({ db, secretBox, clock }: SharingStorePorts): SharingStore {
  const { raw } = db;
  const writeTool = prepareToolWrite(raw);
  const writeServer = prepareServerWrite(raw, secretBox);
  const writeToolset = prepareToolsetWrite(raw);
  const writeAll = raw.transaction(
    (actor: Actor, tools: readonly ToolRow[], { servers, toolsets }: CatalogBatch, ownTools: string) => {
      const at = clock.now();
      // Lists are in the order of creation: the file's order is kept.
      for (const [index, server] of servers.entries()) writeServer(server, actor, at + index, ownTools);
      for (const [index, tool] of tools.entries()) writeTool(tool, actor, at + index);
      for (const toolset of toolsets) writeToolset(toolset, actor, at);
    },
  );
  return {
    async apply({ id, name }, batch) {
      // The transaction cannot be interrupted: what can be done before it is.
      const rows: ToolRow[] = [];
      const slice = new TimeSlice();
      for (const tool of batch.tools) {
        rows.push(toRow(tool));
        await slice.pause();
      }
      await db
        .write(() => writeAll.immediate({ id, name }, rows, batch, JSON.stringify(batch.ownTools)))
        .catch((error: unknown) => {
          throw isUniqueViolation(error) ? outdated() : error;
        });
    },
  };
}

function outdated(): AppError {
  return new AppError("CONFLICT", "Nothing was imported: the catalog changed since the preview: look at it again");
}

interface ToolRow extends Pick<BatchTool, "definition" | "enabled" | "approval" | "approvalBefore" | "lens"> {
  name: string;
  json: string;
  jsonBefore: string | null;
  earlier: BatchTool["earlier"];
}

function toRow({ definition, before, ...tool }: BatchTool): ToolRow {
  const jsonBefore = before === null ? null : JSON.stringify(before);
  // The version is written with this text and hash: worked out here, in the slice.
  const { json } = snapshotDefinition(definition);
  return { ...tool, name: definition.name, definition, json, jsonBefore };
}

function prepareToolWrite(raw: RawDatabase) {
  const insert = raw.prepare(
    `INSERT INTO "Tool" (id, name, definition, enabled, "createdAt", "updatedAt") VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const replace = raw.prepare(
    `UPDATE "Tool" SET definition = ?, enabled = ?, "updatedAt" = ?, "changedBy" = ?, revision = revision + 1 WHERE name = ? AND "deletedAt" IS NULL AND definition = ?`,
  );
  const findMode = raw.prepare<[string], string>('SELECT mode FROM "ToolApprovalMode" WHERE name = ?').pluck();
  const clearMode = raw.prepare('DELETE FROM "ToolApprovalMode" WHERE name = ?');
  const insertMode = raw.prepare('INSERT INTO "ToolApprovalMode" (name, mode, "setAt") VALUES (?, ?, ?)');
  const versions = prepareVersionWrites(raw);
  const facts = prepareFactWrites(raw);
  return (
    { name, definition, json, jsonBefore, enabled, approval, approvalBefore, lens, earlier }: ToolRow,
    actor: Actor,
    at: number,
  ): void => {
    const isEnabled = enabled ? 1 : 0;
    if (jsonBefore === null) {
      insert.run(`tool_${nanoid(16)}`, name, json, isEnabled, at, at);
      facts.begin(name, actor);
    } else if (replace.run(json, isEnabled, at, actor.name, name, jsonBefore).changes === 0) throw outdated();
    // A file may say anything of when a version was made, but none is newer than its import.
    for (const version of earlier) {
      versions.add({ definition: version.definition, at: Math.min(version.at, at), actor, cause: "imported" });
    }
    versions.add({ definition, at, actor, cause: "imported" });
    // The permission to import was judged by this setting.
    const known = findMode.get(name);
    if ((known === undefined ? null : readMode(known)) !== approvalBefore) throw outdated();
    clearMode.run(name);
    if (approval !== null) insertMode.run(name, approval, at);
    if (lens !== undefined) facts.setLens(name, { expression: lens, updatedAt: at, by: actor });
  };
}

function prepareServerWrite(raw: RawDatabase, secretBox: SecretBox) {
  const insert = raw.prepare(
    `INSERT INTO "McpServer" (id, name, settings, secrets, enabled, "createdAt", "updatedAt") VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const replace = raw.prepare(
    `UPDATE "McpServer" SET settings = ?, secrets = ?, enabled = ?, "updatedAt" = ?, "changedBy" = ?, revision = revision + 1
     WHERE id = ? AND "deletedAt" IS NULL AND settings = ?`,
  );
  const forgetState = raw.prepare('DELETE FROM "McpServerState" WHERE name = ?');
  const forgetModes = raw.prepare(
    `DELETE FROM "ToolApprovalMode"
     WHERE mode = 'never' AND substr(name, 1, length(?)) = ? AND name NOT IN (SELECT value FROM json_each(?))`,
  );
  const facts = prepareFactWrites(raw);
  const setLenses = ({ settings, lenses }: BatchServer, by: Actor, updatedAt: number): void => {
    for (const [tool, expression] of Object.entries(lenses)) {
      facts.setLens(settings.name + TOOL_SEPARATOR + tool, { expression, updatedAt, by });
    }
  };
  return (server: BatchServer, actor: Actor, at: number, ownTools: string): void => {
    const { settings, secrets, enabled, before } = server;
    const id = before?.id ?? `server_${nanoid(16)}`;
    const json = JSON.stringify(settings);
    const sealed = sealSecrets(secretBox, id, secrets);
    const isEnabled = enabled ? 1 : 0;
    if (before !== null) {
      const { changes } = replace.run(json, sealed, isEnabled, at, actor.name, id, JSON.stringify(before.settings));
      if (changes === 0) throw outdated();
      setLenses(server, actor, at);
      return;
    }
    // A new server must not inherit from a deleted one of its name: tools, sign-in, and that calls require no approval.
    forgetState.run(settings.name);
    const prefix = settings.name + TOOL_SEPARATOR;
    forgetModes.run(prefix, prefix, ownTools);
    facts.forget(prefix, ownTools);
    setLenses(server, actor, at);
    insert.run(id, settings.name, json, sealed, isEnabled, at, at);
  };
}

function prepareToolsetWrite(raw: RawDatabase) {
  const insert = raw.prepare(
    'INSERT INTO "Toolset" (id, name, settings, "createdAt", "updatedAt") VALUES (?, ?, ?, ?, ?)',
  );
  const replace = raw.prepare(
    `UPDATE "Toolset" SET settings = ?, "updatedAt" = ?, "changedBy" = ?, revision = revision + 1
     WHERE name = ? AND "updatedAt" = ?`,
  );
  return ({ toolset: { name, ...settings }, before }: BatchToolset, actor: Actor, at: number): void => {
    const json = JSON.stringify(settings);
    if (before === null) insert.run(nanoid(12), name, json, at, at);
    else if (replace.run(json, at, actor.name, name, before).changes === 0) throw outdated();
  };
}
