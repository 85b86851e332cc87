import { seedAgent } from "./agent";
import { seedAwkwardTools } from "./awkward-tools";
import { seedBusyWeek } from "./busy-week";
import { seedFirstDay } from "./first-day";
import type { SeedContext } from "./seed-context";
import { seedServers } from "./servers";

/** Makes what it names, and says in a few words what that was. */
export type Scenario = (context: SeedContext) => Promise<string>;

/** In the order they run: the past comes before what happens now, as the logbook lists calls as they were recorded. */
export const SCENARIOS: ReadonlyMap<string, { about: string; run: Scenario }> = new Map([
  ["agent", { about: "two weeks of models at work: runs, approvals, model checks, transcripts", run: seedAgent }],
  [
    "awkward-tools",
    { about: "tools that are hard on forms, formats and layouts, called once each", run: seedAwkwardTools },
  ],
  ["busy-week", { about: "a team's last seven days: some thousand calls from everywhere", run: seedBusyWeek }],
  [
    "first-day",
    { about: "calls of the sample tools with every kind of end, replays, a pinned one", run: seedFirstDay },
  ],
  ["servers", { about: "MCP servers that are installed with the tests, and calls of their tools", run: seedServers }],
]);

export const DEFAULT_SCENARIOS: readonly string[] = ["busy-week", "first-day"];
