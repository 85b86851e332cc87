import { nanoid } from "nanoid";
import type { Actor } from "../../../../lib/contract/actor";
import { TOOL_SEPARATOR } from "../../../../lib/contract/tool-definition";
import { newId } from "../../../../lib/execution-id";
import { stringifyWithDigits } from "../../../../lib/json/number-digits";
import type { Clock } from "../../../engine/ports";
import { TimeSlice } from "../../../engine/time-slice";
import type { Database } from "../../../platform/db/database";
import { snapshotDefinition } from "../../../platform/db/definition-hash";
import { AMONG, change, type Steps, selectRow } from "../../../platform/db/sql";
import { isUniqueViolation } from "../../../platform/db/storage-error";
import { AppError } from "../../../platform/shared/app-error";
import { ruleCaseSteps } from "../../rules/db/rule-case-store";
import { ruleSteps } from "../../rules/db/rule-store";
import { sealSecrets } from "../../servers/db/server-store";
import type { SecretBox } from "../../servers/server-store";
import { ownSkillSteps } from "../../skills/db/own-skill-store";
import { factSteps } from "../../tools/db/tool-facts";
import { readMode } from "../../tools/db/tool-store";
import { addVersion } from "../../tools/db/tool-versions";
import type { BatchServer, BatchTool, BatchToolset, CatalogBatch, SharingStore } from "../sharing-store";

interface SharingStorePorts {
  db: Database;
  secretBox: SecretBox;
  clock: Pick<Clock, "now">;
}

/** The user who imports, and the time. */
interface Author {
  actor: Actor;
  at: number;
}

/** Writes imports: tools, servers, toolsets, skills, rules, cases, lenses and approval settings in one transaction. */
export function createSharingStore({ db, secretBox, clock }: SharingStorePorts): SharingStore {
  function* writeAll(actor: Actor, tools: readonly ToolRow[], batch: CatalogBatch): Steps<void> {
    const at = clock.now();
    // Lists are in the order of creation: the file's order is kept.
    for (const [index, server] of batch.servers.entries()) {
      yield* writeServer(server, { actor, at: at + index }, batch.ownTools, secretBox);
    }
    for (const [index, tool] of tools.entries()) yield* writeTool(tool, { actor, at: at + index });
    for (const toolset of batch.toolsets) yield* writeToolset(toolset, { actor, at });
    for (const { folder, before } of batch.skills) {
      const written = { at, by: actor, cause: "imported" } as const;
      if (before === null) yield* ownSkillSteps.add(folder, written);
      else if ("refused" in (yield* ownSkillSteps.replace(folder, written, before))) throw outdated();
    }
    for (const { rule, before } of batch.rules) {
      const written = { input: rule, at, by: actor.name };
      if (before === null) yield* ruleSteps.add({ ...written, id: newId("rule") });
      else if (!(yield* ruleSteps.replace(before.id, written, before.version))) throw outdated();
    }
    // Written after the rules: a rule that is renamed renames its cases too.
    for (const { case: input, before } of batch.ruleCases) {
      const written = { input, at, by: actor.name };
      if (before === null) yield* ruleCaseSteps.add({ ...written, id: newId("case") });
      else if (!(yield* ruleCaseSteps.replace(before.id, written, before.revision))) throw outdated();
    }
  }
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
        .transaction(() => writeAll({ id, name }, rows, batch))
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
  const jsonBefore = before === null ? null : stringifyWithDigits(before);
  // The version is written with this text and hash: worked out here, in the slice.
  const { json } = snapshotDefinition(definition);
  return { ...tool, name: definition.name, definition, json, jsonBefore };
}

const INSERT_TOOL = `INSERT INTO "Tool" (id, name, definition, enabled, "createdAt", "updatedAt") VALUES (?, ?, ?, ?, ?, ?)`;
const REPLACE_TOOL = `UPDATE "Tool" SET definition = ?, enabled = ?, "updatedAt" = ?, "changedBy" = ?, revision = revision + 1
  WHERE name = ? AND "deletedAt" IS NULL AND definition = ?`;
const INSERT_MODE = 'INSERT INTO "ToolApprovalMode" (name, mode, "setAt") VALUES (?, ?, ?)';

function* writeTool(tool: ToolRow, { actor, at }: Author): Steps<void> {
  const { name, definition, json, jsonBefore, enabled, approval, approvalBefore, lens, earlier } = tool;
  const isEnabled = enabled ? 1 : 0;
  if (jsonBefore === null) {
    yield* change(INSERT_TOOL, `tool_${nanoid(16)}`, name, json, isEnabled, at, at);
    yield* factSteps.begin(name, actor);
  } else if ((yield* change(REPLACE_TOOL, json, isEnabled, at, actor.name, name, jsonBefore)) === 0) throw outdated();
  // A file may say anything of when a version was made, but none is newer than its import.
  for (const version of earlier) {
    yield* addVersion({ definition: version.definition, at: Math.min(version.at, at), actor, cause: "imported" });
  }
  yield* addVersion({ definition, at, actor, cause: "imported" });
  // The permission to import was checked against this setting.
  const known = yield* selectRow<{ mode: string }>('SELECT mode FROM "ToolApprovalMode" WHERE name = ?', name);
  if ((known === undefined ? null : readMode(known.mode)) !== approvalBefore) throw outdated();
  yield* change('DELETE FROM "ToolApprovalMode" WHERE name = ?', name);
  if (approval !== null) yield* change(INSERT_MODE, name, approval, at);
  if (lens !== undefined) yield* factSteps.setLens(name, { expression: lens, updatedAt: at, by: actor });
}

const INSERT_SERVER = `INSERT INTO "McpServer" (id, name, settings, secrets, enabled, "createdAt", "updatedAt")
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const REPLACE_SERVER = `UPDATE "McpServer" SET settings = ?, secrets = ?, enabled = ?, "updatedAt" = ?, "changedBy" = ?,
    revision = revision + 1
  WHERE id = ? AND "deletedAt" IS NULL AND settings = ?`;
const FORGET_MODES = `DELETE FROM "ToolApprovalMode" WHERE mode = 'never' AND substr(name, 1, ?) = ? AND name NOT ${AMONG}`;

function* writeServer(
  server: BatchServer,
  { actor, at }: Author,
  ownTools: readonly string[],
  secretBox: SecretBox,
): Steps<void> {
  const { settings, secrets, enabled, before } = server;
  const id = before?.id ?? `server_${nanoid(16)}`;
  const json = JSON.stringify(settings);
  const sealed = sealSecrets(secretBox, id, secrets);
  const isEnabled = enabled ? 1 : 0;
  if (before !== null) {
    const known = JSON.stringify(before.settings);
    if ((yield* change(REPLACE_SERVER, json, sealed, isEnabled, at, actor.name, id, known)) === 0) throw outdated();
    yield* setLenses(server, { actor, at });
    return;
  }
  // A new server must not inherit from a deleted one of its name: tools, sign-in, and that calls require no approval.
  yield* change('DELETE FROM "McpServerState" WHERE name = ?', settings.name);
  const prefix = settings.name + TOOL_SEPARATOR;
  yield* change(FORGET_MODES, prefix.length, prefix, ownTools);
  yield* factSteps.forget(prefix, ownTools);
  yield* setLenses(server, { actor, at });
  yield* change(INSERT_SERVER, id, settings.name, json, sealed, isEnabled, at, at);
}

function* setLenses({ settings, lenses }: BatchServer, { actor, at }: Author): Steps<void> {
  for (const [tool, expression] of Object.entries(lenses)) {
    yield* factSteps.setLens(settings.name + TOOL_SEPARATOR + tool, { expression, updatedAt: at, by: actor });
  }
}

const INSERT_TOOLSET = 'INSERT INTO "Toolset" (id, name, settings, "createdAt", "updatedAt") VALUES (?, ?, ?, ?, ?)';
const REPLACE_TOOLSET = `UPDATE "Toolset" SET settings = ?, "updatedAt" = ?, "changedBy" = ?, revision = revision + 1
  WHERE name = ? AND "updatedAt" = ?`;

function* writeToolset({ toolset: { name, ...settings }, before }: BatchToolset, { actor, at }: Author): Steps<void> {
  const json = JSON.stringify(settings);
  if (before === null) yield* change(INSERT_TOOLSET, nanoid(12), name, json, at, at);
  else if ((yield* change(REPLACE_TOOLSET, json, at, actor.name, name, before)) === 0) throw outdated();
}
