"use client";

import { useState } from "react";
import { DraftField } from "@/app/_kit/form/draft-field";
import { Segmented } from "@/app/_ui/segmented";
import type { SuiteSchedule } from "@/lib/contract/suite";
import { parseCron } from "@/lib/schedule/cron";

const KINDS = [
  { value: "none", label: "None" },
  { value: "every", label: "Interval" },
  { value: "cron", label: "Cron" },
] as const;

interface ScheduleTexts {
  kind: (typeof KINDS)[number]["value"];
  minutes: string;
  cron: string;
  timeZone: string;
}

interface ScheduleDraft {
  texts: ScheduleTexts;
  change: (part: Partial<ScheduleTexts>) => void;
  problems: readonly string[];
  /** The schedule that the texts describe; call it only while there are no problems. */
  read: () => SuiteSchedule | null;
}

/** A schedule as it is typed. */
export function useScheduleDraft(schedule: SuiteSchedule | null): ScheduleDraft {
  const [texts, setTexts] = useState<ScheduleTexts>(() => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const usual = { minutes: "60", cron: "0 6 * * mon-fri", timeZone: zone };
    if (schedule === null) return { kind: "none", ...usual };
    if ("cron" in schedule) return { kind: "cron", ...usual, ...schedule };
    return { kind: "every", ...usual, minutes: String(schedule.everyMs / 60_000) };
  });
  const { kind, minutes, cron, timeZone } = texts;
  return {
    texts,
    change: (part) => setTexts((before) => ({ ...before, ...part })),
    problems: findProblems(texts),
    read: () => (kind === "none" ? null : kind === "cron" ? { cron, timeZone } : { everyMs: Number(minutes) * 60_000 }),
  };
}

function findProblems({ kind, minutes, cron }: ScheduleTexts): string[] {
  if (kind === "every") return /^[1-9]\d{0,4}$/.test(minutes) ? [] : ["Enter minutes from 1 to 44640"];
  const read = parseCron(cron);
  return kind === "cron" && "problem" in read ? [`The expression ${read.problem}`] : [];
}

export function ScheduleFields({ draft: { texts, change, problems } }: { draft: ScheduleDraft }) {
  const { kind } = texts;
  return (
    <div className="flex flex-col gap-2">
      <p className="font-medium">Schedule</p>
      <Segmented
        label="Schedule"
        value={kind}
        options={KINDS}
        onChange={(next) => change({ kind: next })}
        className="self-start"
      />
      {kind === "every" && (
        <DraftField
          label="Minutes between runs"
          field="schedule.everyMs"
          inputMode="numeric"
          value={texts.minutes}
          problems={problems}
          onChange={(minutes) => change({ minutes })}
        />
      )}
      {kind === "cron" && (
        <>
          <DraftField
            label="Cron expression"
            field="schedule.cron"
            mono
            value={texts.cron}
            problems={problems}
            hint="Minute, hour, day of the month, month, day of the week."
            onChange={(cron) => change({ cron })}
          />
          <DraftField
            label="Time zone"
            field="schedule.timeZone"
            value={texts.timeZone}
            onChange={(timeZone) => change({ timeZone })}
          />
        </>
      )}
      {kind !== "none" && (
        <p className="text-mute text-xs">
          Runs in your name, with your rights. A failed run is the webhook event suite.failed.
        </p>
      )}
    </div>
  );
}
