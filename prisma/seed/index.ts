import type { Env } from "../../src/server/composition/env";
import { seedAgent } from "./agent";
import { seedAwkwardTools } from "./awkward-tools";
import { seedBusyWeek } from "./busy-week";
import { seedFirstDay } from "./first-day";
import { createSeedContext, type SeedContext } from "./seed-context";
import { seedServers } from "./servers";

export { readEnv } from "../../src/server/composition/env";

interface Scenario {
  name: string;
  about: string;
  /** @returns in a few words what it made */
  run(context: SeedContext): Promise<string>;
}

/** In the order they run: the past comes before what happens now, as lists show calls as they were recorded. */
const SCENARIOS: readonly Scenario[] = [
  { name: "agent", about: "two weeks of models at work: runs, approvals, model checks, transcripts", run: seedAgent },
  {
    name: "awkward-tools",
    about: "tools whose names and schemas are hard to show, each called once",
    run: seedAwkwardTools,
  },
  { name: "busy-week", about: "a team's last seven days: some thousand calls from everywhere", run: seedBusyWeek },
  {
    name: "first-day",
    about: "calls of the sample tools with every status, replays, a pinned call",
    run: seedFirstDay,
  },
  {
    name: "servers",
    about: "MCP servers that are installed with the tests, and calls of their tools",
    run: seedServers,
  },
];
const DEFAULT_SCENARIOS: readonly string[] = ["busy-week", "first-day"];

/** A line for each scenario. */
export function describeScenarios(): string {
  return SCENARIOS.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join("\n");
}

export function unknownScenarios(names: readonly string[]): string[] {
  return names.filter((wanted) => !SCENARIOS.some(({ name }) => name === wanted));
}

/** Fills the database that `env` names. */
export async function seed(
  env: Env,
  names: readonly string[],
  report: (scenario: string, outcome: string) => void,
): Promise<void> {
  const wanted = names.length === 0 ? DEFAULT_SCENARIOS : names;
  const context = createSeedContext(env);
  for (const { name, run } of SCENARIOS) if (wanted.includes(name)) report(name, await run(context));
}
