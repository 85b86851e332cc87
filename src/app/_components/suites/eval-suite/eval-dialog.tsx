"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useId, useState } from "react";
import { toSuitePath } from "@/app/_components/suites/summary/run-words";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FormDialog } from "@/app/_kit/form-dialog";
import { FormField } from "@/app/_kit/form-field";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import { NativeSelect } from "@/app/_ui/field";
import type { Eval, EvalInput } from "@/lib/contract/eval";
import { formatPlural } from "@/lib/format";

export interface EvalDialogProps {
  /** An eval to change, or the initial values of a new one. */
  start: Eval | (Partial<EvalInput> & { id?: undefined }) | null;
  onSaved?: (() => void) | undefined;
  onClose: () => void;
}

const splitNames = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);
const NONE: readonly never[] = [];
const ALL_TOOLS = "";

/** A question with the tools that should and should not be called for it. */
export function EvalDialog({ start, onSaved, onClose }: EvalDialogProps) {
  const router = useRouter();
  const [suite, setSuite] = useState(start?.suite ?? "");
  const [question, setQuestion] = useState(start?.question ?? "");
  const [expected, setExpected] = useState(start?.expected?.join(", ") ?? "");
  const [forbidden, setForbidden] = useState(start?.forbidden?.join(", ") ?? "");
  const [toolset, setToolset] = useState(start?.toolset ?? ALL_TOOLS);
  const edited = start?.id === undefined ? null : start;
  const saving = useAction(
    {
      mutationFn: (input: EvalInput) =>
        edited === null
          ? client.suites.addEval.mutate(input)
          : client.suites.updateEval.mutate({ id: edited.id, eval: input, revision: edited.lastEdit.revision }),
    },
    {
      stale: [trpc.suites.pathKey()],
      done: () => (edited === null ? "Eval added" : "Eval saved"),
      onDone(saved) {
        onClose();
        if (onSaved === undefined) router.push(toSuitePath(saved.suite));
        else onSaved();
      },
    },
  );
  const context = start?.context ?? [];
  const submit = (): void =>
    saving.mutate({
      suite: suite.trim(),
      question: question.trim(),
      context,
      origin: start?.origin ?? null,
      expected: splitNames(expected),
      forbidden: splitNames(forbidden),
      toolset: toolset === ALL_TOOLS ? null : toolset,
    });
  return (
    <FormDialog
      title={edited === null ? "Add eval" : "Edit eval"}
      needs="edit"
      submitLabel={edited === null ? "Add" : "Save"}
      action={saving}
      disabled={suite.trim() === "" || question.trim() === ""}
      onSubmit={submit}
      onClose={onClose}
    >
      <DraftField
        label="Suite"
        field="suite"
        required
        mono
        value={suite}
        hint="A suite begins with its first eval. Letters, digits, '_' and '-'."
        onChange={setSuite}
      />
      <DraftField
        label="Question"
        field="question"
        required
        rows={3}
        value={question}
        hint="What a person wants, in words that do not name the tool."
        onChange={setQuestion}
      />
      {context.length > 0 && (
        <p className="text-mute text-xs">
          Asked after {formatPlural(context.length - 1, "message")} of the recorded conversation.
        </p>
      )}
      <DraftField
        label="Expected tools"
        field="expected"
        mono
        value={expected}
        hint="Names, separated by commas: a call of any is right. Empty: the right answer calls nothing."
        onChange={setExpected}
      />
      <DraftField
        label="Forbidden tools (optional)"
        field="forbidden"
        mono
        value={forbidden}
        hint="A call of any of them is wrong."
        onChange={setForbidden}
      />
      <ToolsetField value={toolset} onChange={setToolset} />
    </FormDialog>
  );
}

function ToolsetField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const id = useId();
  const toolsets = useQuery(trpc.toolsets.list.queryOptions()).data ?? NONE;
  return (
    <FormField id={id} label="Offered tools" dataKey="toolset">
      <NativeSelect
        id={id}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        options={[[ALL_TOOLS, "All enabled tools"], ...toolsets.map(({ name }) => [name, `Toolset ${name}`] as const)]}
      />
    </FormField>
  );
}
