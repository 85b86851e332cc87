"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FormDialog } from "@/app/_kit/form-dialog";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { Checkbox } from "@/app/_ui/checkbox";
import type { Suite } from "@/lib/contract/suite";
import { DEFAULT_CONCURRENCY } from "@/lib/contract/suite-limits";
import { RunWithFields, useRunWithDraft } from "./run-with-fields";
import { ScheduleFields, useScheduleDraft } from "./schedule-fields";
import { toSuiteInput } from "./suite-input";

/** The name, the schedule, and how a suite runs. */
export function SuiteDialog({ suite, onClose }: { suite: Suite; onClose: () => void }) {
  const router = useRouter();
  const [name, setName] = useState(suite.name);
  const [description, setDescription] = useState(suite.description);
  const [concurrency, setConcurrency] = useState(String(suite.concurrency));
  const [isAsking, setAsking] = useState(suite.approvals === "ask");
  const schedule = useScheduleDraft(suite.schedule);
  const runWith = useRunWithDraft(suite);
  const saving = useAction(trpc.suites.update.mutationOptions(), {
    stale: [trpc.suites.get.queryKey({ name: suite.name }), trpc.suites.list.queryKey()],
    done: () => "Suite saved",
    onDone: (saved) => {
      onClose();
      if (saved.name !== suite.name) router.replace(`/suites/${encodeURIComponent(saved.name)}`);
    },
  });
  const save = (): void => {
    if (schedule.problems.length > 0) return;
    const approvals = isAsking ? ("ask" as const) : ("refuse" as const);
    const calls = Number(concurrency) || DEFAULT_CONCURRENCY;
    const settings = {
      name,
      description,
      approvals,
      schedule: schedule.read(),
      concurrency: calls,
      runWith: runWith.read(),
    };
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
      {suite.kind === "evals" ? (
        <RunWithFields draft={runWith} />
      ) : (
        <CallFields concurrency={concurrency} onConcurrency={setConcurrency} isAsking={isAsking} onAsking={setAsking} />
      )}
      <ScheduleFields draft={schedule} />
    </FormDialog>
  );
}

interface CallFieldsProps {
  concurrency: string;
  onConcurrency: (text: string) => void;
  isAsking: boolean;
  onAsking: (asks: boolean) => void;
}

/** How the tests of a suite call their tools. */
function CallFields({ concurrency, onConcurrency, isAsking, onAsking }: CallFieldsProps) {
  return (
    <>
      <DraftField
        label="Calls at once"
        field="concurrency"
        inputMode="numeric"
        value={concurrency}
        hint="1 to 10."
        onChange={onConcurrency}
      />
      <label className="flex items-start gap-1.5">
        <Checkbox checked={isAsking} onChange={onAsking} />
        <span>
          Ask for approval
          <span className="block text-mute text-xs">
            Tests of tools that need approval wait in Approvals. Otherwise they are not run, and the suite fails.
          </span>
        </span>
      </label>
    </>
  );
}
