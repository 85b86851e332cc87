import type { ApprovalPolicy } from "../../../lib/contract/approval";
import type { ServerSettings } from "../../../lib/contract/server";
import { AppError } from "../../platform/shared/app-error";
import { createEvent } from "../../platform/shared/event";
import type { PersonalServers } from "../executions/private-calls";
import type { KnownServer } from "./server-directory";

export type KnownServers = ReturnType<typeof createKnownServers>;

/**
 * The servers of this process by name, in memory. It depends on nothing, so that services which the server service needs
 * itself can read settings and policies.
 */
export function createKnownServers() {
  const servers = new Map<string, KnownServer>();
  const changed = createEvent<[name: string]>();
  return {
    servers: servers as ReadonlyMap<string, KnownServer>,
    /** A server was added, changed or removed. Every write below publishes it. */
    changed,

    put(server: KnownServer): KnownServer {
      servers.set(server.settings.name, server);
      void changed.emit(server.settings.name);
      return server;
    },

    change(server: KnownServer, change: Partial<Pick<KnownServer, "settings" | "enabled" | "lastEdit">>): void {
      Object.assign(server, change);
      void changed.emit(server.settings.name);
    },

    remove(name: string): void {
      servers.delete(name);
      void changed.emit(name);
    },

    /** @throws AppError NOT_FOUND */
    find(name: string): KnownServer {
      const server = servers.get(name);
      if (!server) throw new AppError("NOT_FOUND", `Server '${name}' not found`);
      return server;
    },

    /** With the secrets of command line and addresses, for the server itself. Null for an unknown server. */
    settings: (name: string): ServerSettings | null => servers.get(name)?.settings ?? null,

    /** The names of enabled servers. */
    names: (): string[] =>
      Array.from(servers.values())
        .filter(({ enabled }) => enabled)
        .map(({ settings }) => settings.name),

    /** Null for an unknown server and for one that follows the global policy. */
    approvalPolicy: (name: string): ApprovalPolicy | null => servers.get(name)?.settings.approval ?? null,

    /** Servers with personal credentials, and those of them whose calls everyone may read. */
    personalServers(): PersonalServers {
      const found = [...servers.values()].flatMap(({ settings: { name, credentials } }) =>
        credentials?.mode === "personal" ? [{ name, credentials }] : [],
      );
      const open = found.filter(({ credentials }) => credentials.results === "everyone");
      return { personal: found.map(({ name }) => name), open: open.map(({ name }) => name) };
    },
  };
}
