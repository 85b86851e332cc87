import { nanoid } from "nanoid";
import { isPlainObject } from "../../../../lib/contract/json";
import type { ServerSettings } from "../../../../lib/contract/server";
import { findServerKind } from "../../../../lib/contract/server-kind";
import type { ToolChangeSet } from "../../../../lib/contract/server-tool";
import { getMessage } from "../../../../lib/get-message";
import type { CredentialStore, ProtocolStore } from "../../../engine/mcp-ports";
import type { Clock } from "../../../engine/ports";
import type { Database } from "../../../platform/db/database";
import type { McpServer, McpServerState } from "../../../platform/db/generated/client";
import { refuseDuplicate } from "../../../platform/db/refuse-duplicate";
import { isRevision, refuseOutdated, toLastEdit } from "../../../platform/db/refuse-outdated";
import { forgetChangeReports, renameChangeReports } from "../../changes/db/report-store";
import { forgetConformanceRuns, renameConformanceRuns } from "../../conformance/db/conformance-store";
import { forgetSkillGate, renameSkillGate } from "../../content/db/skill-gate-store";
import { createAppliedStore, forgetAppliedChanges, renameAppliedChanges } from "../../tools/db/applied-changes";
import { readListedTools, writeListedTools } from "../../tools/db/listed-tools";
import { createPinStore } from "../../tools/db/tool-pins";
import type { ServerSecrets } from "../server-secrets";
import type { SecretBox, ServerStore, StoredServer } from "../server-store";
import { forgetUpstreamCredentials, renameUpstreamCredentials } from "./upstream-credential-store";

const UNBOUND = { credentials: null, protocol: null };
/** A server's list may have many megabytes. */
const LISTED = { tools: true, changes: true } as const;
const OLDEST_FIRST = [{ createdAt: "asc" as const }, { id: "asc" as const }];

interface Ports {
  db: Database;
  secretBox: SecretBox;
  clock: Clock;
}

export function createServerStore(ports: Ports): ServerStore {
  const { db, secretBox, clock } = ports;
  const { mcpServer, mcpServerState, toolPin } = db.prisma;
  const pins = createPinStore(db);

  const columns = (id: string, { settings, secrets }: Pick<StoredServer, "settings" | "secrets">) => {
    const sealed = sealSecrets(secretBox, id, secrets);
    return { name: settings.name, settings: JSON.stringify(settings), secrets: sealed, updatedAt: BigInt(clock.now()) };
  };
  const toStored = (row: McpServer) => readServer(row, secretBox);

  const { upsertState, sealedColumn } = createStateWrites(ports);

  return {
    async list() {
      const rows = await mcpServer.findMany({ where: { deletedAt: null }, orderBy: OLDEST_FIRST });
      return rows.flatMap((row) => db.damaged.read("server", row.name, () => toStored(row)) ?? []);
    },

    async create(server) {
      const id = `server_${nanoid(16)}`;
      const data = { id, ...columns(id, server), enabled: server.enabled ?? true, createdAt: BigInt(clock.now()) };
      const row = { ...data, changedBy: server.by?.name ?? null };
      return toStored(
        await db.write(() => mcpServer.create({ data: row })).catch(refuseDuplicate("server", data.name)),
      );
    },

    ...createServerEdits(ports, columns),

    async setEnabled(id, enabled) {
      await db.write(() => mcpServer.update({ where: { id }, data: { enabled } }));
    },

    async restore(id) {
      const deleted = await mcpServer.findUnique({ where: { id } });
      if (deleted === null || deleted.deletedAt === null) return null;
      return toStored(
        await db
          .write(() => mcpServer.update({ where: { id }, data: { deletedAt: null } }))
          .catch(refuseDuplicate("server", deleted.name)),
      );
    },

    knowledge: async () =>
      (await mcpServerState.findMany({ omit: { tools: true, credentials: true } })).map(toKnowledge),

    listedTools: (name) => readListedTools(db, name),

    keepTools: (name, { tools, listedAt, changes }) =>
      writeListedTools(db, name, { tools, listedAt, changes: JSON.stringify(changes) }),

    setDisabled: (name, disabled) => upsertState(name, { disabledAt: disabled ? BigInt(clock.now()) : null }),

    async rename(from, to) {
      await db.write(() => mcpServerState.deleteMany({ where: { name: to } }));
      await pins.clear(to);
      await db.write(() => toolPin.updateMany({ where: { serverName: from }, data: { serverName: to } }));
      // Encrypted texts are bound to the name: a renamed server is signed in to again.
      await db.write(() => mcpServerState.updateMany({ where: { name: from }, data: { name: to, ...UNBOUND } }));
      await renameChangeReports(db, from, to);
      await renameAppliedChanges(db, from, to);
      await renameSkillGate(db, from, to);
      await renameConformanceRuns(db, from, to);
      await renameUpstreamCredentials({ db, secretBox }, from, to);
    },

    async forget(name) {
      await pins.clear(name);
      await db.write(() => mcpServerState.deleteMany({ where: { name } }));
      await forgetChangeReports(db, name);
      await forgetAppliedChanges(db, name);
      await forgetSkillGate(db, name);
      await forgetConformanceRuns(db, name);
      await forgetUpstreamCredentials(db, name);
    },

    pins,
    applied: createAppliedStore(db),
    credentials: sealedColumn("credentials"),
    // Encrypted like the credentials, since a hash of settings with secrets is part of it.
    protocols: sealedColumn("protocol"),
  };
}

/** The stored edit that is compared with the revision that the user saw. */
function createServerEdits(
  { db, secretBox, clock }: Ports,
  columns: (id: string, server: Pick<StoredServer, "settings" | "secrets">) => object,
): Pick<ServerStore, "update" | "setSettings" | "delete"> {
  const { mcpServer } = db.prisma;
  return {
    async update(id, server, { by, revision } = {}) {
      const data = { ...columns(id, server), changedBy: by?.name ?? null, revision: { increment: 1 } };
      const where = { id, deletedAt: null };
      const [row] = await db
        .write(() => mcpServer.updateManyAndReturn({ where: { ...where, ...isRevision(revision) }, data }))
        .catch(refuseDuplicate("server", server.settings.name));
      if (row === undefined) refuseOutdated("server", server.settings.name, await mcpServer.findFirst({ where }));
      return readServer(row, secretBox);
    },

    async setSettings(id, settings, by) {
      const data = {
        settings: JSON.stringify(settings),
        updatedAt: BigInt(clock.now()),
        changedBy: by?.name ?? null,
        revision: { increment: 1 },
      };
      return toLastEdit(await db.write(() => mcpServer.update({ where: { id, deletedAt: null }, data })));
    },

    async delete(id, revision) {
      const data = { deletedAt: BigInt(clock.now()) };
      const where = { id, deletedAt: null };
      const { count } = await db.write(() =>
        mcpServer.updateMany({ where: { ...where, ...isRevision(revision) }, data }),
      );
      if (count > 0) return;
      const row = await mcpServer.findFirst({ where });
      refuseOutdated("server", row?.name ?? id, row);
    },
  };
}

/** Seals secrets bound to the server's row; null where there are none. */
export function sealSecrets(secretBox: SecretBox, id: string, secrets: ServerSecrets): string | null {
  return isEmpty(secrets) ? null : secretBox.seal(JSON.stringify(secrets), `server:${id}`);
}

/** Writes the state of a server by its name; texts of some columns are encrypted. */
function createStateWrites({ db, secretBox }: Ports) {
  const { mcpServerState } = db.prisma;
  const upsertState = async (name: string, data: Partial<Omit<McpServerState, "name">>): Promise<void> => {
    const row = { where: { name }, create: { name, ...data }, update: data, omit: LISTED };
    await db.write(() => mcpServerState.upsert(row));
  };

  const sealedColumn = (column: "credentials" | "protocol"): CredentialStore & ProtocolStore => ({
    async read(name) {
      const row = await mcpServerState.findUnique({ where: { name }, omit: LISTED });
      const sealed = row?.[column] ?? null;
      return sealed === null ? null : secretBox.open(sealed, `${column}:${name}`);
    },
    write: (name, text) =>
      upsertState(name, { [column]: text === null ? null : secretBox.seal(text, `${column}:${name}`) }),
  });
  return { upsertState, sealedColumn };
}

function readServer(row: McpServer, secretBox: SecretBox): StoredServer {
  let secrets: ServerSecrets = {};
  let secretsError: string | null = null;
  try {
    if (row.secrets !== null) secrets = JSON.parse(secretBox.open(row.secrets, `server:${row.id}`)) as ServerSecrets;
  } catch (error) {
    secretsError = getMessage(error);
  }
  const settings = JSON.parse(row.settings) as ServerSettings;
  const problem = describeShapeProblem(settings);
  if (problem !== null) throw new Error(problem);
  const { id, name, enabled } = row;
  return { id, name, settings, secrets, secretsError, enabled, lastEdit: toLastEdit(row) };
}

/** Why settings cannot be used; the connection reports what they lack in detail. */
function describeShapeProblem(value: unknown): string | null {
  if (!isPlainObject(value) || typeof value.name !== "string") return "its settings are no object with a name";
  const kind = findServerKind(value.transport);
  if (kind === undefined) return `its transport '${String(value.transport)}' is not known to this version of Toolroom`;
  const isComplete = Object.entries(kind.fields).every(([name, type]) => {
    if (type === "arguments" || type === "values") return Array.isArray(value[name]);
    return type === "command" || type === "address" ? typeof value[name] === "string" : true;
  });
  return isComplete && Array.isArray(value.roots) ? null : "its settings are not complete";
}

function toKnowledge({ name, listedAt, changes, disabledAt }: Omit<McpServerState, "tools" | "credentials">) {
  return {
    name,
    listedAt: listedAt === null ? null : Number(listedAt),
    changes: parseList<ToolChangeSet>(changes),
    disabled: disabledAt !== null,
  };
}

const isEmpty = (secrets: ServerSecrets): boolean => Object.keys(secrets).length === 0;

/** The list is read again from the server: a damaged text only means that nothing is known yet. */
function parseList<T>(text: string | null): T[] {
  if (text === null) return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as T[]) : [];
  } catch {
    return [];
  }
}
