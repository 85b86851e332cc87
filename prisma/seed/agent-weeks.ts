import { BROKEN_STORIES } from "./agent-broken-stories";
import type { CallOrigin, PlannedRun, PlannedToolCall } from "./agent-plan";
import { type Story, someCustomer } from "./agent-story";
import { SUPPORT_STORIES } from "./agent-support-stories";
import { INES, MEI, TOM } from "./agent-tools";
import { WORKSHOP_STORIES } from "./agent-workshop-stories";
import { createRandom } from "./random";
import { DAY_MS } from "./week-plan";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Epoch days since a Monday: 5 January 1970. */
const FIRST_MONDAY = 4;
const WEEK_DAYS = 7;
/** Runs of each day, Monday first; together as many as there are stories. */
const RUNS_OF_WEEKDAY = [4, 4, 5, 4, 3, 1, 1] as const;
const HOURS = [8, 10, 13, 15, 17] as const;
const DECIDED_DAYS = [1, 3, 4];

const STORIES: readonly Story[] = interleaved([...BROKEN_STORIES, ...SUPPORT_STORIES], WORKSHOP_STORIES);

/** A call that waited in the inbox without a run. */
export interface PlannedApproval {
  at: number;
  /** Of the approvals of all days; picks what it is about. */
  number: number;
}

/** The first day of the week (UTC, Monday) that holds `at`, in epoch days. */
function mondayOf(at: number): number {
  const day = Math.floor(at / DAY_MS);
  return day - ((day - FIRST_MONDAY) % WEEK_DAYS);
}

/** Every run between the two times. The same week is the same for everyone and at any time. */
export function planRuns(from: number, until: number): PlannedRun[] {
  const runs: PlannedRun[] = [];
  for (let monday = mondayOf(from); monday * DAY_MS <= until; monday += WEEK_DAYS) runs.push(...planWeek(monday));
  return runs.filter(({ at }) => at >= from && at <= until);
}

function planWeek(monday: number): PlannedRun[] {
  const runs: PlannedRun[] = [];
  let parent: PlannedRun | null = null;
  for (const [weekday, count] of RUNS_OF_WEEKDAY.entries()) {
    for (let slot = 0; slot < count; slot += 1) {
      const story = STORIES[runs.length];
      if (story === undefined) return runs;
      const run = planRun(story, monday + weekday, slot, story.rerun === undefined ? null : parent);
      if (story.rerun === undefined) parent = run;
      runs.push(run);
    }
  }
  return runs;
}

function planRun(story: Story, day: number, slot: number, parent: PlannedRun | null): PlannedRun {
  const random = createRandom(day * 101 + slot);
  const { model, actor, source = "agent", instructions = "", tools = { mode: "all" } as const, rerun } = story;
  const at = day * DAY_MS + (HOURS[slot] ?? HOURS[0]) * HOUR_MS + random.int(0, 95 * MINUTE_MS);
  return {
    ...{ id: `run_${random.letters(16)}`, at, source, actor, settings: { ...model, instructions, tools } },
    turns: story.turns(someCustomer(random), random),
    ...(rerun === undefined || parent === null ? {} : { parent: { id: parent.id, ...rerun } }),
  };
}

/** What people decided between the two times for callers other than runs. */
export function planApprovals(from: number, until: number): PlannedApproval[] {
  const planned: PlannedApproval[] = [];
  for (let monday = mondayOf(from); monday * DAY_MS <= until; monday += WEEK_DAYS) {
    for (const [at, day] of DECIDED_DAYS.entries()) {
      const random = createRandom((monday + day) * 103);
      const number = ((monday - FIRST_MONDAY) / WEEK_DAYS) * DECIDED_DAYS.length + at;
      planned.push({ at: (monday + day) * DAY_MS + random.int(9 * HOUR_MS, 16 * HOUR_MS), number });
    }
  }
  return planned.filter(({ at }) => at >= from && at <= until);
}

interface DecidedCall {
  origin: CallOrigin;
  call: PlannedToolCall;
}

const nobody = { runId: null, callId: null };
const CONSOLE = { source: "console", client: null, ...nobody } as const;
const GATEWAY = { source: "gateway", client: "Claude Code 2.1.4", ...nobody } as const;

/** What an approval without a run was about, by its number. */
export function decidedCall(number: number): DecidedCall {
  const random = createRandom(number);
  const { id, order, total } = someCustomer(random);
  const refund = { tool: "refund_order", args: { order_id: order, amount: total, reason: "Sent back" }, ms: 288 };
  const mail = {
    tool: "send_email",
    args: { customer_id: id, subject: "Thank you", body: "Thank you for your order." },
    ms: 203,
  };
  const paid = { ...refund, result: { refund: "rfd_5180", state: "paid_out" } };
  const sent = { ...mail, result: { message: "msg_40117", state: "sent" } };
  const calls: DecidedCall[] = [
    {
      origin: { ...CONSOLE, actor: TOM },
      call: { ...paid, approval: { verdict: "approved", by: MEI, waitedMs: 96_000 } },
    },
    {
      origin: { ...GATEWAY, actor: INES },
      call: { ...refund, approval: { verdict: "expired", by: null, waitedMs: DAY_MS } },
    },
    {
      origin: { ...GATEWAY, actor: TOM },
      call: { ...sent, approval: { verdict: "approved", by: TOM, waitedMs: 21_000 } },
    },
    {
      origin: { ...GATEWAY, actor: MEI },
      call: {
        ...refund,
        approval: { verdict: "rejected", by: INES, waitedMs: 340_000, reason: "The parcel has not come back yet" },
      },
    },
    {
      origin: { ...CONSOLE, actor: INES },
      call: { ...mail, approval: { verdict: "withdrawn", by: null, waitedMs: 45_000 } },
    },
    {
      origin: { ...CONSOLE, actor: INES },
      call: {
        ...sent,
        approval: {
          verdict: "approved",
          by: INES,
          waitedMs: 64_000,
          edited: { ...mail.args, body: "Thank you for your order. It is on its way." },
        },
      },
    },
  ];
  return calls[number % calls.length] ?? random.pick(calls);
}

/** One of these, one of those, but a rerun stays behind what it repeats. */
function interleaved(one: readonly Story[], other: readonly Story[]): Story[] {
  const left = [...one];
  const mixed = other.flatMap((story) => (story.rerun === undefined ? [...left.splice(0, 1), story] : [story]));
  return [...mixed, ...left];
}
