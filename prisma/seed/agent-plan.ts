import type { RunSettings, ToolSelection } from "../../src/lib/contract/run";
import { MODELS } from "./agent-tools";
import { createRandom } from "./random";
import { findActor, type PastRun, readStories } from "./read-stories";
import { DAY_MS } from "./week-plan";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Epoch days since a Monday: 5 January 1970. */
const FIRST_MONDAY = 4;
const WEEK_DAYS = 7;
/** Runs of each day, Monday first; together as many as there are stories. */
const RUNS_OF_WEEKDAY = [4, 4, 5, 4, 3, 1, 1] as const;
const HOURS = [8, 10, 13, 15, 17] as const;
const APPROVAL_DAYS = [1, 3, 4];
const SUPPORT =
  "You help the support team of a web shop. Look things up before you answer, name the ids you used, and keep it short.";
const CRM = "find_customer,list_orders,search_docs,create_ticket,refund_order,send_email";

/** Something of the past. Lists show what was written last first, so that it has to be written in order of time. */
export interface PastThing {
  kind: "run" | "approval" | "check";
  at: number;
  /** False where it is there already. */
  write(): Promise<boolean>;
}

/** The Mondays (UTC, in epoch days) of all weeks between the two times. */
function mondaysBetween(from: number, until: number): number[] {
  const day = Math.floor(from / DAY_MS);
  const first = day - ((day - FIRST_MONDAY) % WEEK_DAYS);
  const weeks = Math.floor((until / DAY_MS - first) / WEEK_DAYS) + 1;
  return Array.from({ length: Math.max(0, weeks) }, (_, week) => first + week * WEEK_DAYS);
}

/** Every run between the two times. The same week gives the same runs at any time. */
export function planRuns(from: number, until: number): PastRun[] {
  return mondaysBetween(from, until)
    .flatMap(planWeek)
    .filter(({ at }) => at >= from && at <= until);
}

function planWeek(monday: number): PastRun[] {
  const stories = readStories("runs.txt");
  const slots = RUNS_OF_WEEKDAY.flatMap((count, weekday) =>
    Array.from({ length: count }, (_, slot) => ({ day: monday + weekday, slot })),
  );
  let parentId = "";
  return slots.flatMap(({ day, slot }, position) => {
    const random = createRandom(day * 101 + slot);
    const at = day * DAY_MS + (HOURS[slot] ?? HOURS[0]) * HOUR_MS + random.int(0, 95 * MINUTE_MS);
    const id = `run_${random.letters(16)}`;
    const story = stories[position]?.(random);
    if (story === undefined) return [];
    const [, step, results] = /^from step (\d+), (live|recorded)/.exec(story.head[4] ?? "") ?? [];
    const parent: PastRun["parent"] =
      step === undefined
        ? undefined
        : { id: parentId, step: Number(step), results: results === "recorded" ? "recorded" : "live" };
    if (parent === undefined) parentId = id;
    const actor = findActor(story.head[1]);
    return [{ id, at, source: "agent", actor, settings: toSettings(story.head), parent, turns: story.turns }];
  });
}

function toSettings([model = "", , tools = "", instructions = ""]: readonly string[]): RunSettings {
  const names = tools === "crm" ? CRM : tools;
  const selection: ToolSelection =
    names === "" ? { mode: "all" } : { mode: "some", tools: names.split(","), servers: [] };
  return { ...findModel(model), instructions: instructions === "support" ? SUPPORT : instructions, tools: selection };
}

export function findModel(name: string) {
  const model = MODELS.get(name);
  if (model === undefined) throw new Error(`Stories have no model "${name}"`);
  return model;
}

/** When calls without a run were decided between the two times; `number` picks what each is about. */
export function planApprovals(from: number, until: number): { at: number; number: number }[] {
  return mondaysBetween(from, until)
    .flatMap((monday) =>
      APPROVAL_DAYS.map((day, position) => {
        const random = createRandom((monday + day) * 103);
        const number = ((monday - FIRST_MONDAY) / WEEK_DAYS) * APPROVAL_DAYS.length + position;
        return { at: (monday + day) * DAY_MS + random.int(9 * HOUR_MS, 16 * HOUR_MS), number };
      }),
    )
    .filter(({ at }) => at >= from && at <= until);
}
