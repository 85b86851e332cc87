import { setTimeout } from "node:timers/promises";
import { LOCAL_PRINCIPAL } from "../../src/lib/contract/access";
import { newCassetteSchema } from "../../src/lib/contract/cassette";
import { runSettingsSchema } from "../../src/lib/contract/run";
import { seedOwnSkill } from "./own-skills";
import type { SeedContext, Services } from "./seed-context";

interface SampleCall {
  tool: string;
  args: object;
  timeoutMs?: number;
  skipValidation?: boolean;
}

/** The calls of a user's first day, mistakes included. */
const CALLS: readonly SampleCall[] = [
  { tool: "get_weather", args: { location: "Oslo", units: "celsius" } },
  { tool: "get_weather", args: { location: "Wellington", days: 3, alerts: { email: "ops@example.org", above: 25 } } },
  { tool: "get_weather", args: { units: "celsius" } },
  { tool: "get_weather", args: { location: "Lima", units: "kelvin", days: 1.5 } },
  { tool: "get_weather", args: { location: "Lima", units: "kelvin", days: 1.5 }, skipValidation: true },
  { tool: "slow_report", args: { steps: 4, step_ms: 120 } },
  { tool: "slow_report", args: { steps: 5, step_ms: 60, fail_at: 3 } },
  { tool: "slow_report", args: { steps: 30, step_ms: 200 }, timeoutMs: 500 },
  { tool: "calculator", args: { expression: "12 * 7" } },
  { tool: "calculator", args: { expression: "sqrt(16) + 5 cm / (1 inch)" } },
  { tool: "calculator", args: { expression: "det([2, 1; 1, 3])" } },
  { tool: "calculator", args: { expression: "2 +" } },
  { tool: "echo", args: { message: "What you send is what you get", labels: ["first", "second"] } },
  { tool: "echo", args: { message: null, repeat: null } },
  { tool: "echo", args: { message: { nested: [1, "two", { three: 3 }], empty: "" }, repeat: 2 } },
  { tool: "echo", args: { repeat: "2" } },
  { tool: "clock", args: { timezone: "Europe/Oslo" } },
  { tool: "clock", args: { timezone: "Mars/Olympus_Mons" } },
  { tool: "search_tools", args: { query: "weather" } },
  { tool: "search_tools", args: { query: "", limit: 3 } },
];

const CANCELLED: SampleCall = { tool: "slow_report", args: { steps: 60, step_ms: 200 } };
const UNKNOWN: SampleCall = { tool: "get_wether", args: { location: "Oslo" } };

/** Real calls of the sample tools, now: every kind of end, replays, and a call worth keeping. */
export async function seedFirstDay({ withServices }: SeedContext): Promise<string> {
  return withServices(async (services) => {
    const there = new Set(services.tools.list().items.map((tool) => tool.name));
    const calls = CALLS.filter(({ tool }) => there.has(tool));
    const ids: string[] = [];
    for (const sample of [...calls, UNKNOWN]) ids.push(await call(services, sample));
    if (there.has(CANCELLED.tool)) ids.push(await cancelled(services));
    const replays = await replayed(services, calls, ids);
    const cassette = await recordCassette(services, ids);
    const skill = await seedOwnSkill(services);
    const absent = CALLS.length - calls.length;
    const left = absent === 0 ? "" : `; ${absent} skipped because their tools are not in the catalog`;
    return `${ids.length} calls of the sample tools, ${replays} replays${cassette}${skill}${left}`;
  });
}

async function call({ executions }: Services, { tool, args, timeoutMs, skipValidation }: SampleCall): Promise<string> {
  const argumentsText = JSON.stringify(args);
  return (await executions.run(LOCAL_PRINCIPAL, { tool, argumentsText, timeoutMs, skipValidation })).id;
}

async function cancelled({ executions, api }: Services): Promise<string> {
  const { tool, args } = CANCELLED;
  const { id } = await executions.run(LOCAL_PRINCIPAL, { tool, argumentsText: JSON.stringify(args), waitMs: 450 });
  await api.executions.cancel({ id });
  return id;
}

/** The first call as it was and with another place, and the mistake mended. */
async function replayed(
  { executions, api }: Services,
  calls: readonly SampleCall[],
  ids: readonly string[],
): Promise<number> {
  const weather = calls.findIndex(({ tool }) => tool === "get_weather");
  const first = ids[weather];
  const mistaken = ids[weather + 2];
  if (first === undefined || mistaken === undefined) return 0;
  await api.executions.setPinned({ id: first, pinned: true });
  await executions.replay(LOCAL_PRINCIPAL, first);
  for (const [parentId, args] of [
    [first, { location: "Bergen", units: "celsius" }],
    [mistaken, { location: "Lima", units: "celsius" }],
  ] as const) {
    await executions.run(LOCAL_PRINCIPAL, { tool: "get_weather", argumentsText: JSON.stringify(args), parentId });
  }
  return 3;
}

/** A cassette of the weather, and a conversation against it that asks for more than was recorded. */
async function recordCassette({ cassettes, executions, runs, api }: Services, ids: readonly string[]): Promise<string> {
  const found = await executions.getMany(ids);
  const weather = found.filter(({ toolName }) => toolName === "get_weather" || toolName === "calculator");
  if (weather.length === 0 || (await cassettes.list()).length > 0) return "";
  const notes = "The calls of the first day, for agents that are tested without the network.";
  const choice = { ids: weather.map(({ id }) => id) };
  const input = newCassetteSchema.parse({ name: "first-day", notes, choice });
  const { callCount } = await api.cassettes.create(input);
  const settings = runSettingsSchema.parse({ provider: "demo", model: "demo", cassette: "first-day" });
  const text = "get_weather location=Oslo units=celsius and what is 12 * 7 and get_weather location=Rome";
  const { id } = await api.runs.start({ settings, text });
  while ((await runs.get(id)).status === "running") await setTimeout(50);
  return `, a cassette of ${callCount}`;
}
