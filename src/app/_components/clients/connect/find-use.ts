import type { ClientSummary, ClientUse } from "@/lib/contract/client";
import { CONNECT_CLIENTS, type ConnectClientId } from "@/lib/contract/client-configuration";
import type { ClientTransport } from "@/lib/contract/client-transport";

/** The part of the catalog that a configuration offers; all of it where nothing is named. */
export interface OfferedPart {
  server?: string | undefined;
  toolset?: string | undefined;
}

/** Finds the configuration that a client connected with. */
interface Offered extends OfferedPart {
  client: ConnectClientId;
  transport: ClientTransport;
}

/** A client at an address of the configuration. */
export interface FoundUse extends ClientUse {
  clientId: string;
}

type SeenClient = Pick<ClientSummary, "id" | "name" | "uses">;

function isNamed(id: ConnectClientId, name: string): boolean {
  const names = CONNECT_CLIENTS.find((client) => client.id === id)?.names ?? null;
  return names === null ? !CONNECT_CLIENTS.some((client) => client.names?.test(name)) : names.test(name);
}

function isPartAddress(address: string, { server, toolset }: OfferedPart): boolean {
  const path = address.split("?", 1)[0];
  if (toolset !== undefined) return path === `/mcp/sets/${toolset}`;
  return server === undefined || path === `/mcp/${server}`;
}

/**
 * The use of a client that shows whether its configuration works: the one with the newest call over that transport, else the one
 * seen last. Null for none, undefined while clients are not known.
 */
export function findUse(
  clients: readonly SeenClient[] | undefined,
  { client, transport, ...part }: Offered,
): FoundUse | null | undefined {
  if (clients === undefined) return undefined;
  const uses = clients
    .filter(({ name }) => isNamed(client, name))
    .flatMap(({ id, uses: all }) => all.map((use): FoundUse => ({ clientId: id, ...use })))
    .filter((use) => use.transport === transport && isPartAddress(use.address, part));
  const called = (use: FoundUse): number => use.lastCall?.at ?? 0;
  const [found] = uses.sort((one, other) => called(other) - called(one) || other.seenAt - one.seenAt);
  return found ?? null;
}
