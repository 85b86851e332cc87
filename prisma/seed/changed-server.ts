import { LOCAL_PRINCIPAL } from "../../src/lib/contract/access";
import type { ServerSettingsInput } from "../../src/lib/contract/server";
import { findStory } from "./find-story";
import type { Services } from "./seed-context";

const NAME = "orders";
const PROGRAM = findStory("orders-server.mjs");
const CALLERS = [
  { client: "claude-code/2.1.4", actor: { id: "seed-ines", name: "Ines Moreau" } },
  { client: "cursor/1.9.0", actor: { id: "seed-tom", name: "Tom Berger" } },
  { client: "support-bot/0.8.2", actor: { id: "seed-ines", name: "Ines Moreau" } },
] as const;
const CUSTOMERS = ["Ada", "Noor", "Kai"];
const CALLS = 60;

const toSettings = (version: "1" | "2"): ServerSettingsInput => ({
  ...{ name: NAME, title: "Orders of the shop", transport: "stdio", command: "node", args: [PROGRAM, version] },
  ...{ changedTools: "review", approval: "never" },
});

/** A server whose next version breaks recorded calls, while its changes wait for a review. */
export async function seedChangedServer({ servers, executions }: Services): Promise<boolean> {
  if (servers.has(NAME)) return false;
  await servers.create(LOCAL_PRINCIPAL, toSettings("1"));
  const { state } = await servers.reconnect(LOCAL_PRINCIPAL, NAME);
  if (state.status !== "connected") return false;
  for (let at = 0; at < CALLS; at += 1) {
    const caller = CALLERS[at % CALLERS.length] ?? CALLERS[0];
    const [tool, args] = planCall(at);
    await executions.execute(`${NAME}__${tool}`, args, { source: "gateway", protocol: "2025-11-25", ...caller });
  }
  await servers.update(LOCAL_PRINCIPAL, NAME, toSettings("2"));
  await servers.reconnect(LOCAL_PRINCIPAL, NAME);
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
