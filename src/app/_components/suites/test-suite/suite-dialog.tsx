"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FormDialog } from "@/app/_kit/form-dialog";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { Checkbox } from "@/app/_ui/checkbox";
import { Segmented } from "@/app/_ui/segmented";
import type { Suite, SuiteSchedule } from "@/lib/contract/suite";
import { DEFAULT_CONCURRENCY } from "@/lib/contract/test-limits";
import { parseCron } from "@/lib/schedule/cron";
import { toSuiteInput } from "./suite-input";

const KINDS = [
  { value: "none", label: "None" },
  { value: "every", label: "Interval" },
  { value: "cron", label: "Cron" },
] as const;

/** The name, the schedule, and how a suite runs. */
export function SuiteDialog({ suite, onClose }: { suite: Suite; onClose: () => void }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [name, setName] = useState(suite.name);
  const [description, setDescription] = useState(suite.description);
  const [concurrency, setConcurrency] = useState(String(suite.concurrency));
  const [isAsking, setAsking] = useState(suite.approvals === "ask");
  const schedule = useScheduleDraft(suite.schedule);
  const saving = useAction(trpc.tests.update.mutationOptions(), {
    stale: [trpc.tests.get.queryKey({ name: suite.name }), trpc.tests.list.queryKey()],
    done: () => "Suite saved",
    onDone: (saved) => {
      onClose();
      if (saved.name !== suite.name) router.replace(`/tests/suites/${encodeURIComponent(saved.name)}`);
    },
  });
  const save = (): void => {
    if (schedule.problems.length > 0) return;
    const approvals = isAsking ? ("ask" as const) : ("refuse" as const);
    const calls = Number(concurrency) || DEFAULT_CONCURRENCY;
    const settings = { name, description, approvals, schedule: schedule.read(), concurrency: calls };
    saving.mutate({
      name: suite.name,
      suite: { ...toSuiteInput(suite), ...settings },
      revision: suite.lastEdit?.revision,
    });
  };
  return (
    <FormDialog needs="edit" title="Suite settings" action={saving} onSubmit={save} onClose={onClose}>
      <DraftField label="Name" field="name" required mono value={name} onChange={setName} />
      <DraftField label="Description (optional)" field="description" value={description} onChange={setDescription} />
      <DraftField
        label="Calls at once"
        field="concurrency"
        inputMode="numeric"
        value={concurrency}
        hint="1 to 10."
        onChange={setConcurrency}
      />
      <label className="flex items-start gap-1.5">
        <Checkbox checked={isAsking} onChange={setAsking} />
        <span>
          Ask for approval
          <span className="block text-mute text-xs">
            Tests of tools that need approval wait in Approvals. Otherwise they are not run, and the suite fails.
          </span>
        </span>
      </label>
      <ScheduleFields draft={schedule} />
    </FormDialog>
  );
}

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
function useScheduleDraft(schedule: SuiteSchedule | null): ScheduleDraft {
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

function ScheduleFields({ draft: { texts, change, problems } }: { draft: ScheduleDraft }) {
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
