"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FormDialog } from "@/app/_kit/form-dialog";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { SUITE_NAME_PATTERN } from "@/lib/contract/test-limits";

const RULE = "1 to 64 letters, digits, '_' or '-', beginning with a letter or digit";

/** Names a suite and opens it. */
export function NewSuiteDialog({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [isChecked, setIsChecked] = useState(false);
  const creating = useAction(trpc.tests.create.mutationOptions(), {
    stale: [trpc.tests.list.queryKey()],
    onDone: (suite) => {
      onClose();
      router.push(`/tests/suites/${encodeURIComponent(suite.name)}`);
    },
  });
  const isNamed = SUITE_NAME_PATTERN.test(name);
  const save = (): void => {
    setIsChecked(true);
    if (isNamed) creating.mutate({ name, description });
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
