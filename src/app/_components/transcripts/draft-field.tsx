"use client";

import { useId } from "react";
import { describedBy, FormField } from "@/app/_components/tools/editor/form-field";
import { Input, Textarea } from "@/app/_ui/field";

export interface DraftFieldProps {
  label: string;
  /** Its name in the settings. */
  field: string;
  value: string;
  problems: readonly string[];
  onChange: (value: string) => void;
  hint?: string;
  required?: boolean;
  mono?: boolean;
  placeholder?: string;
  inputMode?: "decimal" | "url";
  /** More than one line. */
  rows?: number;
}

export function DraftField(props: DraftFieldProps) {
  const { label, field, value, problems, onChange, hint, required = false, mono = false, rows, ...native } = props;
  const id = useId();
  const shared = {
    ...{ id, value, "data-field": field, invalid: problems.length > 0, autoComplete: "off" },
    className: mono ? "font-mono text-xs!" : undefined,
    "aria-required": required || undefined,
    "aria-describedby": describedBy(id, { hint: hint !== undefined, problems }),
  };
  return (
    <FormField id={id} label={label} dataKey={field} required={required} hint={hint} problems={problems}>
      {rows === undefined ? (
        <Input {...native} {...shared} spellCheck={!mono} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <Textarea {...native} {...shared} rows={rows} onChange={(event) => onChange(event.target.value)} />
      )}
    </FormField>
  );
}
