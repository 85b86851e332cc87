import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { TestFields, useTestForm } from "@/app/_components/suites/test-suite/test-form";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FormDialog } from "@/app/_kit/form-dialog";
import { QueryState } from "@/app/_kit/query-state";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { Dialog } from "@/app/_ui/dialog";
import type { SuiteTest } from "@/lib/contract/suite";
import { SUITE_NAME_PATTERN } from "@/lib/contract/suite-limits";

interface SaveTestDialogProps {
  executionId: string;
  onClose: () => void;
}

const BARS = ["h-9", "h-9", "h-20", "h-32"];

/** Saves an execution as a test; the proposed assertions can be edited first. */
export function SaveTestDialog({ executionId, onClose }: SaveTestDialogProps) {
  // What is proposed depends on other calls, too: an edited proposal must not be replaced by a newer one.
  const query = useQuery({ ...trpc.suites.propose.queryOptions({ executionId }), staleTime: Number.POSITIVE_INFINITY });
  if (query.data !== undefined) return <ProposedTest test={query.data} onClose={onClose} />;
  return (
    <Dialog title="Save as test" size="lg" onClose={onClose}>
      <QueryState query={query} what="the test" bars={BARS}>
        {() => null}
      </QueryState>
    </Dialog>
  );
}

function ProposedTest({ test, onClose }: { test: SuiteTest; onClose: () => void }) {
  const router = useRouter();
  const form = useTestForm(test);
  const { data: suites = [] } = useQuery(trpc.suites.list.queryOptions({ kind: ["tests"] }));
  const [suite, setSuite] = useState<string | null>(null);
  const [isChecked, setIsChecked] = useState(false);
  // The newest suite with this tool, else one for it.
  const usual = suites.find(({ tools }) => tools.includes(test.tool))?.name ?? suites[0]?.name ?? "tests";
  const chosen = suite ?? usual;
  const isNamed = SUITE_NAME_PATTERN.test(chosen);
  const isNew = !suites.some(({ name }) => name === chosen);
  const saving = useAction(trpc.suites.addTest, {
    stale: [trpc.suites.list, trpc.suites.get.queryKey({ name: chosen })],
    done: (saved) => ({
      title: `Saved in ${saved.name}`,
      action: { label: "Open suite", onClick: () => router.push(`/suites/${encodeURIComponent(saved.name)}`) },
    }),
    onDone: onClose,
  });
  const save = (): void => {
    setIsChecked(true);
    const read = form.read();
    if (read !== null && isNamed) saving.mutate({ suite: chosen, test: read });
  };
  return (
    <FormDialog needs="edit" size="lg" title="Save as test" action={saving} onSubmit={save} onClose={onClose}>
      <DraftField
        label="Suite"
        field="suite"
        required
        mono
        value={chosen}
        problems={isChecked && !isNamed ? ["Enter 1 to 64 letters, digits, '_' or '-'"] : []}
        hint={
          isNew
            ? "A new suite is created."
            : `Adds to this suite. Others: ${suites.flatMap(({ name }) => (name === chosen ? [] : name)).join(", ") || "none"}.`
        }
        onChange={setSuite}
      />
      <TestFields form={form} />
    </FormDialog>
  );
}
