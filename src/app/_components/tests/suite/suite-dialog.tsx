"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FormDialog } from "@/app/_kit/form-dialog";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { Checkbox } from "@/app/_ui/checkbox";
import { DEFAULT_CONCURRENCY } from "@/lib/contract/test-limits";
import type { Suite } from "@/lib/contract/test-suite";
import { ScheduleFields, useScheduleDraft } from "./schedule-fields";
import { toSuiteInput } from "./suite-input";

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
    <FormDialog
      needs="edit"
      title="Suite settings"
      submitLabel="Save"
      pendingLabel="Saving…"
      pending={saving.isPending}
      failure="Couldn't save"
      problem={saving.problem}
      onSubmit={save}
      onClose={onClose}
    >
      <DraftField label="Name" field="name" required mono value={name} problems={[]} onChange={setName} />
      <DraftField
        label="Description (optional)"
        field="description"
        value={description}
        problems={[]}
        onChange={setDescription}
      />
      <DraftField
        label="Calls at once"
        field="concurrency"
        inputMode="numeric"
        value={concurrency}
        problems={[]}
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
