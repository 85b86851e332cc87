import type { Env } from "../../src/server/main/env";
import type { RunningServer, SeedContext } from "./seed-context";

export { readEnv } from "../../src/server/main/env";

interface Scenario {
  name: string;
  about: string;
  /** It tells of calls that were made before now. */
  isPast?: true;
  /** Loads the server's code, which takes seconds, and @returns in a few words what it made. */
  run(context: SeedContext): Promise<string>;
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: "awkward-tools",
    about: "tools whose names and schemas are hard to show, each called once",
    run: async (context) => (await import("./awkward-tools")).seedAwkwardTools(context),
  },
  {
    name: "busy-week",
    isPast: true,
    about: "a team's last seven days: some thousand calls from everywhere, a toolset, a lens",
    run: async (context) => (await import("./busy-week")).seedBusyWeek(context),
  },
  // A server's start resumes runs that wait: none may start before their calls are written.
  {
    name: "agent",
    isPast: true,
    about: "two weeks of models at work: runs, approvals, evals",
    run: async (context) => (await import("./agent")).seedAgent(context),
  },
  {
    name: "first-day",
    about: "calls of the sample tools with every status, replays, a pinned call, a skill",
    run: async (context) => (await import("./first-day")).seedFirstDay(context),
  },
  {
    name: "suites",
    about: "a suite of tests of the sample tools, with a run and a replay",
    run: async (context) => (await import("./suites")).seedSuites(context),
  },
  {
    name: "servers",
    about: "MCP servers that are installed with the tests, calls of their tools, and an API",
    run: async (context) => (await import("./servers")).seedServers(context),
  },
  {
    name: "team",
    about: "with accounts: users, groups with roles and a toolset, and a service account",
    run: async (context) => (await import("./team")).seedTeam(context),
  },
];
const DEFAULT_SCENARIOS: readonly string[] = ["busy-week", "agent", "first-day", "suites"];
/** Not a scenario of its own: what the others add beside. */
const DEMO = "demo";
/** With accounts. */
const DEMO_SCENARIOS: readonly string[] = ["team"];
const DEMO_ABOUT =
  "the usual ones with model providers, rules for calls, retention and alerts, a webhook and a schedule";

/** A line for each scenario. */
export function describeScenarios(): string {
  const lines = [...SCENARIOS, { name: DEMO, about: DEMO_ABOUT }].map(
    ({ name, about }) => `  ${name.padEnd(14)} ${about}`,
  );
  return lines.join("\n");
}

export function unknownScenarios(names: readonly string[]): string[] {
  return names.filter((wanted) => wanted !== DEMO && !SCENARIOS.some(({ name }) => name === wanted));
}

type Report = (scenario: string, outcome: string) => void;

/** Fills the database that `env` names, which no server uses. */
export async function seed(env: Env, names: readonly string[], report: Report): Promise<void> {
  const { createSeedContext, openOwnDatabase } = await import("./seed-context");
  await runScenarios(createSeedContext(openOwnDatabase(env), names.includes(DEMO)), names, report);
}

/** Fills the database of a running server, through it. @throws Error for an unknown scenario, before anything is changed */
export async function seedRunning(server: RunningServer, names: readonly string[], report: Report): Promise<void> {
  const unknown = unknownScenarios(names);
  if (unknown.length > 0) throw new Error(`Unknown scenario: ${unknown.map((name) => `"${name}"`).join(", ")}.`);
  const { createSeedContext, openRunningServer } = await import("./seed-context");
  try {
    await runScenarios(createSeedContext(openRunningServer(server), names.includes(DEMO)), names, report);
  } finally {
    server.onWritten();
  }
}

async function runScenarios(context: SeedContext, names: readonly string[], report: Report): Promise<void> {
  const isUsual = names.length === 0 || names.includes(DEMO);
  const demo = context.isDemo ? DEMO_SCENARIOS : [];
  const wanted = isUsual ? [...DEFAULT_SCENARIOS, ...demo, ...names] : names;
  const chosen = SCENARIOS.filter(({ name }) => wanted.includes(name));
  for (const { name, isPast, run } of chosen) if (isPast) report(name, await run(context));
  // The past comes before what happens now, and all of it in order of time: lists show calls as they were recorded.
  await context.writeQueued();
  for (const { name, isPast, run } of chosen) if (!isPast) report(name, await run(context));
  if (isUsual && !context.isDemo)
    report("left out", `${DEMO_ABOUT.slice(DEMO_ABOUT.indexOf("model"))}: seed demo adds them`);
}
