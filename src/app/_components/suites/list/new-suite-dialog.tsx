"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { toSuitePath } from "@/app/_components/suites/summary/run-words";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FormDialog } from "@/app/_kit/form-dialog";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { Segmented } from "@/app/_ui/segmented";
import type { SuiteKind } from "@/lib/contract/suite";
import { SUITE_NAME_PATTERN } from "@/lib/contract/suite-limits";

const RULE = "1 to 64 letters, digits, '_' or '-', beginning with a letter or digit";

const KINDS = [
  { value: "tests", label: "Tests" },
  { value: "evals", label: "Evals" },
] as const;
const ABOUT: Record<SuiteKind, string> = {
  tests: "Calls of tools, with what is expected of their results.",
  evals: "Questions to a model, with the tool that it should pick. Nothing is executed.",
};

/** Chooses the type of a suite, names it and opens it. */
export function NewSuiteDialog({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const [kind, setKind] = useState<SuiteKind>("tests");
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [isChecked, setIsChecked] = useState(false);
  const creating = useAction(trpc.suites.create.mutationOptions(), {
    stale: [trpc.suites.list.queryKey()],
    onDone: (suite) => {
      onClose();
      router.push(toSuitePath(suite.name));
    },
  });
  const isNamed = SUITE_NAME_PATTERN.test(name);
  const save = (): void => {
    setIsChecked(true);
    if (isNamed) creating.mutate({ kind, name, description });
  };
  return (
    <FormDialog
      needs="edit"
      title="New suite"
      submitLabel="Create"
      pendingLabel="Creating…"
      action={creating}
      failure="Couldn't create the suite"
      onSubmit={save}
      onClose={onClose}
    >
      <div className="flex flex-col items-start gap-1">
        <span className="font-medium">Type</span>
        <Segmented label="Type" value={kind} options={KINDS} onChange={setKind} />
        <span className="text-mute text-xs">{ABOUT[kind]}</span>
      </div>
      <DraftField
        label="Name"
        field="name"
        required
        mono
        value={name}
        hint={`Its address and its name on the command line: ${RULE}.`}
        problems={isChecked && !isNamed ? [`Enter ${RULE}`] : []}
        onChange={setName}
      />
      <DraftField label="Description (optional)" field="description" value={description} onChange={setDescription} />
    </FormDialog>
  );
}
