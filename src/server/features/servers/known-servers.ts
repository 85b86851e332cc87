import type { ApprovalPolicy } from "../../../lib/contract/approval";
import type { ServerSettings } from "../../../lib/contract/server";
import type { PersonalServers } from "../../calls/executions/private-calls";
import { AppError } from "../../platform/shared/app-error";
import { createEvent } from "../../platform/shared/event";
import type { KnownServer } from "./server-directory";

export type KnownServers = ReturnType<typeof createKnownServers>;

/**
 * The servers of this process by name, in memory. It depends on nothing, so that services which the server service needs
 * itself can read settings and policies.
 */
export function createKnownServers() {
  const servers = new Map<string, KnownServer>();
  const changed = createEvent<[name: string]>();
  const policyChanged = createEvent<[name: string]>();

  function announce(name: string, policyBefore: ApprovalPolicy | undefined, isFollowed: boolean): void {
    if (isFollowed) return;
    void changed.emit(name);
    if (servers.get(name)?.settings.approval !== policyBefore) void policyChanged.emit(name);
  }

  return {
    servers: servers as ReadonlyMap<string, KnownServer>,
    /** A server was added, changed or removed. Every write below publishes it, unless it follows another instance, which does. */
    changed,
    /** The approval policy of a server is another one. Published in the same way. */
    policyChanged,

    put(server: KnownServer, isFollowed = false): KnownServer {
      const { name } = server.settings;
      const policy = servers.get(name)?.settings.approval;
      servers.set(name, server);
      announce(name, policy, isFollowed);
      return server;
    },

    change(
      server: KnownServer,
      change: Partial<Pick<KnownServer, "settings" | "enabled" | "lastEdit">>,
      isFollowed = false,
    ): void {
      const policy = server.settings.approval;
      Object.assign(server, change);
      announce(server.settings.name, policy, isFollowed);
    },

    remove(name: string, isFollowed = false): void {
      const policy = servers.get(name)?.settings.approval;
      servers.delete(name);
      announce(name, policy, isFollowed);
    },

    /** @throws AppError NOT_FOUND */
    find(name: string): KnownServer {
      const server = servers.get(name);
      if (!server) throw new AppError("NOT_FOUND", `Server '${name}' not found`);
      return server;
    },

    /**
     * The settings with the secrets of command line and addresses, for the connection itself. Null for an unknown
     * server.
     */
    settings: (name: string): ServerSettings | null => servers.get(name)?.settings ?? null,

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
