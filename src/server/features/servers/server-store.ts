import { nanoid } from "nanoid";
import type { ServerSettings, ToolChangeSet } from "../../../lib/contract";
import { messageOf } from "../../../lib/message-of";
import type { Database } from "../../db/database";
import { takingName } from "../../db/duplicate-name";
import type { McpServer, McpServerState } from "../../db/generated/client";
import type { CredentialStore, ListedTool } from "../../engine/mcp-ports";
import type { Clock } from "../../engine/ports";
import type { ServerSecrets } from "./server-secrets";

/** Encrypts what must not lie in a file in plain text. `context` binds a text to its place. */
export interface SecretBox {
  seal(plain: string, context: string): string;
  /** @throws Error that says which key it needs */
  open(sealed: string, context: string): string;
}

/** A server made in the console. */
export interface StoredServer {
  id: string;
  name: string;
  /** Secret values are null. */
  settings: ServerSettings;
  secrets: ServerSecrets;
  /** Why the secrets cannot be read; null when they can. */
  secretsFault: string | null;
  enabled: boolean;
}

export interface ServerKnowledge {
  name: string;
  tools: ListedTool[];
  listedAt: number | null;
  /** Newest first. */
  changes: ToolChangeSet[];
  /** A server of the configuration that a person switched off. */
  disabled: boolean;
}

export interface ServerStore {
  /** Those not deleted, in order of their making. */
  list(): Promise<StoredServer[]>;
  /** @throws Error named DuplicateNameError */
  create(server: { settings: ServerSettings; secrets: ServerSecrets }): Promise<StoredServer>;
  /** @throws Error named DuplicateNameError */
  update(id: string, server: { settings: ServerSettings; secrets: ServerSecrets }): Promise<StoredServer>;
  setEnabled(id: string, enabled: boolean): Promise<void>;
  /** The row stays, for `restore`. */
  delete(id: string): Promise<void>;
  /** Null where there is no deleted server with that id. @throws Error named DuplicateNameError */
  restore(id: string): Promise<StoredServer | null>;
  knowledge(): Promise<ServerKnowledge[]>;
  keepTools(
    name: string,
    kept: { tools: readonly ListedTool[]; listedAt: number; changes: ToolChangeSet[] },
  ): Promise<void>;
  setDisabled(name: string, disabled: boolean): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Forgets tools, changes and sign-in. */
  forget(name: string): Promise<void>;
  credentials: CredentialStore;
}

export function createServerStore(ports: { db: Database; secretBox: SecretBox; clock: Clock }): ServerStore {
  const { db, secretBox, clock } = ports;
  const { mcpServer, mcpServerState } = db.prisma;

  const columns = (id: string, { settings, secrets }: { settings: ServerSettings; secrets: ServerSecrets }) => ({
    name: settings.name,
    settings: JSON.stringify(settings),
    secrets: isEmpty(secrets) ? null : secretBox.seal(JSON.stringify(secrets), `server:${id}`),
    updatedAt: BigInt(clock.now()),
  });

  function toStored(row: McpServer): StoredServer {
    let secrets: ServerSecrets = {};
    let secretsFault: string | null = null;
    try {
      if (row.secrets !== null) secrets = JSON.parse(secretBox.open(row.secrets, `server:${row.id}`)) as ServerSecrets;
    } catch (error) {
      secretsFault = messageOf(error);
    }
    const settings = JSON.parse(row.settings) as ServerSettings;
    return { id: row.id, name: row.name, settings, secrets, secretsFault, enabled: row.enabled };
  }

  const upsertState = async (name: string, data: Partial<Omit<McpServerState, "name">>): Promise<void> => {
    await db.write(() => mcpServerState.upsert({ where: { name }, create: { name, ...data }, update: data }));
  };

  return {
    async list() {
      const rows = await mcpServer.findMany({
        where: { deletedAt: null },
        orderBy: [{ createdAt: "asc" }, { id: "asc" }],
      });
      return rows.map(toStored);
    },

    async create(server) {
      const id = `server_${nanoid(16)}`;
      const data = { id, ...columns(id, server), createdAt: BigInt(clock.now()) };
      return toStored(await takingName("server", data.name, () => db.write(() => mcpServer.create({ data }))));
    },

    update: async (id, server) =>
      toStored(
        await takingName("server", server.settings.name, () =>
          db.write(() => mcpServer.update({ where: { id, deletedAt: null }, data: columns(id, server) })),
        ),
      ),

    async setEnabled(id, enabled) {
      await db.write(() => mcpServer.update({ where: { id }, data: { enabled } }));
    },

    async delete(id) {
      await db.write(() => mcpServer.update({ where: { id }, data: { deletedAt: BigInt(clock.now()) } }));
    },

    async restore(id) {
      const deleted = await mcpServer.findUnique({ where: { id } });
      if (deleted === null || deleted.deletedAt === null) return null;
      return toStored(
        await takingName("server", deleted.name, () =>
          db.write(() => mcpServer.update({ where: { id }, data: { deletedAt: null } })),
        ),
      );
    },

    async knowledge() {
      const rows = await mcpServerState.findMany();
      return rows.map((row) => ({
        name: row.name,
        tools: parseList<ListedTool>(row.tools),
        listedAt: row.listedAt === null ? null : Number(row.listedAt),
        changes: parseList<ToolChangeSet>(row.changes),
        disabled: row.disabledAt !== null,
      }));
    },

    keepTools: (name, { tools, listedAt, changes }) =>
      upsertState(name, {
        tools: JSON.stringify(tools),
        listedAt: BigInt(listedAt),
        changes: JSON.stringify(changes),
      }),

    setDisabled: (name, disabled) => upsertState(name, { disabledAt: disabled ? BigInt(clock.now()) : null }),

    async rename(from, to) {
      await db.write(() => mcpServerState.deleteMany({ where: { name: to } }));
      // Encrypted texts are bound to the name: a renamed server is signed in to again.
      await db.write(() => mcpServerState.updateMany({ where: { name: from }, data: { name: to, credentials: null } }));
    },

    async forget(name) {
      await db.write(() => mcpServerState.deleteMany({ where: { name } }));
    },

    credentials: {
      async read(name) {
        const row = await mcpServerState.findUnique({ where: { name } });
        return row?.credentials == null ? null : secretBox.open(row.credentials, `credentials:${name}`);
      },
      write: (name, credentials) =>
        upsertState(name, {
          credentials: credentials === null ? null : secretBox.seal(credentials, `credentials:${name}`),
        }),
    },
  };
}

function isEmpty(secrets: ServerSecrets): boolean {
  return Object.keys(secrets).length === 0;
}

/** What is kept here is read again from the server: a damaged text only means that nothing is known yet. */
function parseList<T>(text: string | null): T[] {
  if (text === null) return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as T[]) : [];
  } catch {
    return [];
  }
}
