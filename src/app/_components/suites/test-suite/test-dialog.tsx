import { FormDialog } from "@/app/_kit/form-dialog";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import type { Suite, SuiteTest } from "@/lib/contract/suite";
import { toSuiteInput } from "../summary/suite-input";
import { TestFields, useTestForm } from "./test-form";

const BLANK: SuiteTest = { name: "", tool: "", arguments: {}, assertions: [] };

interface TestDialogProps {
  suite: Suite;
  /** The position of the test; null for a new one. */
  position: number | null;
  onClose: () => void;
}

/** Edits a test of a suite, or adds one. */
export function TestDialog({ suite, position, onClose }: TestDialogProps) {
  const form = useTestForm((position === null ? undefined : suite.tests[position]) ?? BLANK);
  const saving = useAction(trpc.suites.update, {
    stale: [trpc.suites.get.queryKey({ name: suite.name }), trpc.suites.list],
    done: "Test saved",
    onDone: onClose,
  });
  const save = (): void => {
    const test = form.read();
    if (test === null) return;
    const tests =
      position === null ? [...suite.tests, test] : suite.tests.map((each, at) => (at === position ? test : each));
    saving.mutate({ name: suite.name, suite: { ...toSuiteInput(suite), tests }, revision: suite.lastEdit?.revision });
  };
  return (
    <FormDialog
      needs="edit"
      size="lg"
      title={position === null ? "New test" : "Edit test"}
      action={saving}
      onSubmit={save}
      onClose={onClose}
    >
      <TestFields form={form} />
    </FormDialog>
  );
}
