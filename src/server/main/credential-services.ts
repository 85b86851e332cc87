import { AUTOMATION, LOCAL_OWNER } from "../../lib/contract/actor";
import { listensOnLoopback } from "../../lib/http-guard/host-policy";
import { systemClock } from "../create-tool-engine";
import type { McpConnections } from "../engine/mcp-ports";
import { createUpstreamCredentialStore } from "../features/servers/db/upstream-credential-store";
import type { ServerService } from "../features/servers/server-service";
import {
  createUpstreamCredentialService,
  type UpstreamCredentialService,
} from "../features/servers/upstream-credential-service";
import { runExclusively } from "../platform/coordination/run-exclusively";
import type { Env } from "./env";
import type { Foundation } from "./foundation";

export type PersonalParts = ReturnType<typeof createPersonalParts>;

/** What connections need to know about each person's credentials. */
export function createPersonalParts({ db, secretBox, env, coordination }: Foundation, accounts: boolean) {
  const console = consoleAddress(env);
  return {
    credentials: {
      ...createUpstreamCredentialStore({ db, secretBox, clock: systemClock, localOwner: LOCAL_OWNER }),
      exclusively: <T>(server: string, person: string, work: () => Promise<T>): Promise<T> =>
        runExclusively(coordination.locks, `sign-in:${JSON.stringify([server, person])}`, work),
    },
    /** While accounts are off the local owner is the one person; with accounts nobody acts as the local owner any more. */
    isPerson: (id: string): boolean =>
      accounts ? id !== LOCAL_OWNER.id && id !== AUTOMATION.id : id === LOCAL_OWNER.id,
    pageOf(server: string): string {
      const path = `/servers/${encodeURIComponent(server)}`;
      return console === null ? `open ${path} in the console` : `${console}${path}`;
    },
  };
}

/** Null where only a browser knows the address: it listens on all, behind a proxy without `TOOLROOM_PUBLIC_URL`. */
function consoleAddress({ publicUrl, host, port }: Pick<Env, "publicUrl" | "host" | "port">): string | null {
  if (publicUrl !== null) return publicUrl.replace(/\/$/, "");
  return listensOnLoopback(host) && port !== 0 ? `http://${host}:${port}` : null;
}

interface CredentialParts {
  personal: PersonalParts;
  connections: McpConnections;
  servers: ServerService;
}

/** People's own credentials for MCP servers. */
export function createCredentialService(
  { live }: Foundation,
  { personal, connections, servers }: CredentialParts,
): UpstreamCredentialService {
  return createUpstreamCredentialService({
    store: personal.credentials,
    connections,
    settingsOf: (name) => servers.settings(name) ?? servers.get(name).settings,
    isPerson: personal.isPerson,
    publish: (server) => live.publish({ type: "servers", server }),
  });
}
