import type { Fault, ToolDefinition } from "../../src/lib/contract";
import type { ExecutionStore } from "../../src/server/features/executions/execution-store";
import { createRandom } from "./random";
import { registerTools } from "./register-tools";
import type { SeedContext, Services } from "./seed-context";
import { DAY_MS, type PlannedCall, planDay } from "./week-plan";
import { faultsKey, type KnownTools, toRecord } from "./week-records";
import { SAMPLE_TOOLS, TEAM_TOOLS } from "./week-tools";

const DAYS = 7;
/** What happens after the seeds comes after what they tell of. */
const MARGIN_MS = 45_000;
/** Calls given to the logbook at once; it makes its own batches of them. */
const CHUNK = 500;

/** The last seven days (UTC, today included) up to now. Of a week that is there already, only what has come since. */
export async function seedBusyWeek({ now, withServices, withLogbook }: SeedContext): Promise<string> {
  const until = now - MARGIN_MS;
  const week = (Math.floor(now / DAY_MS) - DAYS + 1) * DAY_MS;
  const { known, registered } = await withServices(async (services) => ({
    registered: await registerTools(
      services,
      TEAM_TOOLS.map(({ definitionText }) => definitionText),
    ),
    known: await readTools(services),
  }));
  const planned = Array.from({ length: DAYS }, (_, day) => planDay(week + day * DAY_MS))
    .flat()
    .filter(({ at, tool }) => at <= until && known.definitions.has(tool.name));
  const written = await withLogbook((logbook) => write(logbook, planned, known));
  return `${written} calls since ${dayText(week)} (${planned.length} planned), ${registered} new tools`;
}

const dayText = (at: number): string => new Date(at).toISOString().slice(0, "2026-11-21".length);

/** Gives how many of the calls were not there yet. */
async function write(logbook: ExecutionStore, planned: readonly PlannedCall[], known: KnownTools): Promise<number> {
  const there = await Promise.all(planned.map(({ id }) => logbook.summary(id)));
  const calls = planned.filter((_, at) => there[at] === null);
  for (let from = 0; from < calls.length; from += CHUNK) {
    const records = calls.slice(from, from + CHUNK).map((call) => toRecord(createRandom(call.at), call, known));
    await Promise.all(records.map(([start, end]) => logbook.record(start, end)));
  }
  return calls.length;
}

async function readTools({ tools }: Services): Promise<KnownTools> {
  const definitions = new Map<string, ToolDefinition>();
  const faults = new Map<string, Fault[]>();
  for (const { name, wrong } of [...TEAM_TOOLS, ...SAMPLE_TOOLS]) {
    const detail = tools.find(name);
    if (detail === null) continue;
    definitions.set(name, detail.definition);
    for (const text of wrong) faults.set(faultsKey(name, text), (await tools.validateArguments(name, text)).faults);
  }
  return { definitions, faults };
}
