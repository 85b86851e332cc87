"use client";

import { useId } from "react";
import { POLICY_LABELS, toPolicy } from "@/app/_components/approvals/summary/approval-words";
import {
  CHANGED_TOOLS,
  CHANGED_TOOLS_HINTS,
  CHANGED_TOOLS_LABELS,
} from "@/app/_components/servers/summary/changed-tools-words";
import { describedBy, FormField } from "@/app/_kit/form-field";
import { NativeSelect, Textarea } from "@/app/_ui/field";
import { Segmented } from "@/app/_ui/segmented";
import type { FormState } from "./form-state";

/** Which of the server's tools are offered, and which of them require approval. */
export function ToolPolicyFields({ form }: { form: FormState }) {
  const { draft, change } = form;
  const id = useId();
  return (
    <>
      <FormField
        id={`${id}-approval`}
        label="Approval policy"
        dataKey="approval"
        hint="Which of its tools require approval. A setting on a single tool wins over this."
        problems={form.problemsOf("approval")}
      >
        <NativeSelect
          id={`${id}-approval`}
          data-field="approval"
          value={draft.approval}
          aria-describedby={describedBy(`${id}-approval`, { hint: true, problems: form.problemsOf("approval") })}
          onChange={({ target }) => change({ approval: toPolicy(target.value) ?? "" })}
          options={Object.entries(POLICY_LABELS)}
        />
      </FormField>
      <div>
        <p className="mb-1 flex items-baseline gap-1.5 font-medium">
          Changed tools <span className="font-mono font-normal text-2xs text-faint">changedTools</span>
        </p>
        <Segmented
          label="Changed tools"
          value={draft.changedTools}
          options={CHANGED_TOOLS.map((value) => ({ value, label: CHANGED_TOOLS_LABELS[value] }))}
          onChange={(changedTools) => change({ changedTools })}
        />
        <p className="mt-1 text-mute text-xs">{CHANGED_TOOLS_HINTS[draft.changedTools]}</p>
      </div>
      <div>
        <p className="mb-1 flex items-baseline gap-1.5 font-medium">
          Offered tools <span className="font-mono font-normal text-2xs text-faint">toolFilter</span>
        </p>
        <Segmented
          label="Offered tools"
          value={draft.filterMode}
          options={[
            { value: "all", label: "All" },
            { value: "only", label: "Only listed" },
            { value: "except", label: "All except listed" },
          ]}
          onChange={(filterMode) => change({ filterMode })}
        />
        {draft.filterMode !== "all" && <FilterNames form={form} />}
      </div>
    </>
  );
}

function FilterNames({ form }: { form: FormState }) {
  const id = useId();
  const lines = form.draft.filterNames.split("\n");
  const problems = [
    ...form.problemsOf("toolFilter.names"),
    ...lines.flatMap((_, at) => form.problemsOf(`toolFilter.names[${at}]`).map((text) => `name ${at + 1} ${text}`)),
  ];
  return (
    <div className="mt-2">
      <FormField
        id={id}
        label="Tool names"
        dataKey="toolFilter.names"
        hint="One per line, as the server calls them: read_file, without the server's prefix."
        problems={problems}
      >
        <Textarea
          id={id}
          data-field="toolFilter.names"
          value={form.draft.filterNames}
          invalid={problems.length > 0}
          rows={4}
          spellCheck={false}
          autoComplete="off"
          className="font-mono text-xs!"
          aria-describedby={describedBy(id, { hint: true, problems })}
          onChange={(event) => form.change({ filterNames: event.target.value })}
        />
      </FormField>
    </div>
  );
}
