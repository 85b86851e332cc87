"use client";

import { useId } from "react";
import { describedBy, FormField } from "@/app/_kit/form-field";
import { Textarea } from "@/app/_ui/field";
import type { SensitiveSetting } from "@/lib/contract/server";
import type { FormState } from "./form-state";
import { sensitiveFields } from "./sensitive-draft";

/** Which values of its tools the log of calls stores masked. */
export function SensitiveFields({ form }: { form: FormState }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <PathLines form={form} part="arguments" label="Masked arguments" placeholder="/password" />
      <PathLines form={form} part="results" label="Masked results" placeholder="/structuredContent/token" />
    </div>
  );
}

interface PathLinesProps {
  form: FormState;
  part: SensitiveSetting["in"];
  label: string;
  placeholder: string;
}

function PathLines({ form, part, label, placeholder }: PathLinesProps) {
  const id = useId();
  const key = part === "arguments" ? "sensitiveArguments" : "sensitiveResults";
  const problems = [
    ...(part === "arguments" ? form.problemsOf("sensitive") : []),
    ...sensitiveFields(form.draft, part).flatMap(({ line, field }) =>
      ["path", "tool"].flatMap((name) => form.problemsOf(`${field}.${name}`)).map((text) => `${line}: ${text}`),
    ),
  ];
  return (
    <FormField
      id={id}
      label={label}
      dataKey={`sensitive.${part}`}
      hint="One path per line; * matches any item. A tool's name before it limits it to this tool: login /pin."
      problems={problems}
    >
      <Textarea
        id={id}
        data-field={`sensitive.${part}`}
        value={form.draft[key]}
        invalid={problems.length > 0}
        rows={3}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        className="font-mono text-xs!"
        aria-describedby={describedBy(id, { hint: true, problems })}
        onChange={(event) => form.change({ [key]: event.target.value })}
      />
    </FormField>
  );
}
