import type { ServerSettingsInput } from "../../src/lib/contract/server";
import { findStory } from "./find-story";
import type { Services } from "./seed-context";

const PROGRAM = findStory("orders-server.mjs");
const CALLERS = [
  { client: "claude-code/2.1.4", actor: { id: "seed-ines", name: "Ines Moreau" } },
  { client: "cursor/1.9.0", actor: { id: "seed-tom", name: "Tom Berger" } },
  { client: "support-bot/0.8.2", actor: { id: "seed-ines", name: "Ines Moreau" } },
] as const;
const CUSTOMERS = ["Ada", "Noor", "Kai"];
const CALLS = 60;

/** Of one, changes wait for a review; those of the other are in use at once. */
const SERVERS = [
  { name: "orders", title: "Orders of the shop", changedTools: "review" },
  { name: "orders-outlet", title: "Orders of the outlet", changedTools: "off" },
] as const;
type ChangedServer = (typeof SERVERS)[number];

const toSettings = (server: ChangedServer, version: "1" | "2"): ServerSettingsInput => ({
  ...server,
  transport: "stdio",
  command: "node",
  args: [PROGRAM, version],
  approval: "never",
});

/** Servers whose next version breaks recorded calls, and changes a skill. @returns how many were added */
export async function seedChangedServers(services: Services): Promise<number> {
  let added = 0;
  for (const server of SERVERS) if (await seedChangedServer(services, server)) added += 1;
  return added;
}

async function seedChangedServer({ servers, executions, api }: Services, server: ChangedServer): Promise<boolean> {
  const { name } = server;
  if (servers.has(name)) return false;
  await api.servers.create({ settings: toSettings(server, "1") });
  const { state } = await api.servers.reconnect({ name });
  if (state.status !== "connected") return false;
  // What is listed first is approved, and what the second version lists is compared with it.
  await api.skills.list({ name });
  for (let at = 0; at < CALLS; at += 1) {
    const caller = CALLERS[at % CALLERS.length] ?? CALLERS[0];
    const [tool, args] = planCall(at);
    await executions.execute(`${name}__${tool}`, args, { source: "gateway", protocol: "2025-11-25", ...caller });
  }
  await api.servers.update({ name, settings: toSettings(server, "2") });
  await api.servers.reconnect({ name });
  await api.skills.list({ name });
  return true;
}

function planCall(at: number): [tool: string, args: object] {
  const order = `A-${1042 + (at % 9)}`;
  if (at % 5 === 1) return ["get_order", { order }];
  if (at % 20 === 7) return ["cancel_order", { order }];
  const customer = CUSTOMERS[at % CUSTOMERS.length];
  if (at % 7 === 3) return ["find_orders", { customer, status: "returned" }];
  return ["find_orders", { customer, limit: 1 + (at % 10), ...(at % 4 === 0 && { region: "north" }) }];
}
