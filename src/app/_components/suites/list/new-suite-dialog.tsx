import { useRouter } from "next/navigation";
import { toSuitePath } from "@/app/_components/suites/summary/run-words";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { choice, defineForm, text } from "@/app/_kit/form/fields";
import { client, trpc } from "@/app/_trpc/client";
import type { SuiteInput, SuiteKind } from "@/lib/contract/suite";
import { SUITE_NAME_PATTERN } from "@/lib/contract/suite-limits";

const RULE = "1 to 64 letters, digits, '_' or '-', beginning with a letter or digit";

const NEW_SUITE_FORM = defineForm<Pick<SuiteInput, "kind" | "name" | "description">>()({
  kind: choice<SuiteKind>(
    "Type",
    "tests",
    { tests: "Tests", evals: "Evals" },
    {
      about: {
        tests: "Calls of tools, with what is expected of their results.",
        evals: "Questions to a model, with the tool that it should pick. Nothing is executed.",
      },
    },
  ),
  name: text("Name", {
    required: true,
    mono: true,
    hint: `Its address and its name on the command line: ${RULE}.`,
    check: (typed) => (SUITE_NAME_PATTERN.test(typed) ? [] : [`Enter ${RULE}`]),
  }),
  description: text("Description (optional)"),
});

/** Chooses the type of a suite, names it and opens it. */
export function NewSuiteDialog({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  return (
    <EditDialog
      needs="edit"
      title="New suite"
      submitLabel="Create"
      pendingLabel="Creating…"
      failure="Couldn't create the suite"
      table={NEW_SUITE_FORM}
      save={(suite) => client.suites.create.mutate(suite)}
      stale={[trpc.suites.list]}
      onSaved={({ name }) => {
        onClose();
        router.push(toSuitePath(name));
      }}
      onClose={onClose}
    />
  );
}
