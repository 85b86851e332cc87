"use client";

import { type ClipboardEventHandler, type ReactNode, useId } from "react";
import { cx } from "@/app/_ui/class-names";
import { Input, Textarea } from "@/app/_ui/field";
import { describedBy, FormField } from "../form-field";

export interface DraftFieldProps {
  label: string;
  /** Its path in what is saved. */
  field: string;
  value: string;
  /** The key shown as data where it is not the path. */
  dataKey?: string | undefined;
  problems?: readonly string[];
  onChange: (value: string) => void;
  hint?: ReactNode;
  required?: boolean;
  mono?: boolean;
  readOnly?: boolean;
  placeholder?: string;
  maxLength?: number;
  inputMode?: "decimal" | "numeric" | "url" | "email";
  /** Texts that the browser proposes. */
  proposals?: readonly string[];
  onPaste?: ClipboardEventHandler<HTMLInputElement>;
  /** More than one line; grows with its text. */
  rows?: number;
}

const NO_PROBLEMS: readonly string[] = [];

/** One text of a form, with its hint and problems. */
export function DraftField(props: DraftFieldProps) {
  const {
    label,
    field,
    dataKey = field,
    value,
    problems = NO_PROBLEMS,
    onChange,
    hint,
    required = false,
    mono = false,
    rows,
    proposals,
    onPaste,
    ...native
  } = props;
  const id = useId();
  const control = {
    ...native,
    id,
    value,
    "data-field": field,
    invalid: problems.length > 0,
    autoComplete: "off",
    autoCapitalize: mono ? "off" : undefined,
    spellCheck: !mono,
    className: cx(
      rows !== undefined && "max-h-96",
      mono && "font-mono text-xs!",
      native.readOnly === true && "text-mute",
    ),
    "aria-required": required || undefined,
    "aria-describedby": describedBy(id, { hint: hint !== undefined, problems }),
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  return (
    <FormField id={id} label={label} dataKey={dataKey} required={required} hint={hint} problems={problems}>
      {rows === undefined ? (
        <Input {...control} list={proposals && `${id}-proposals`} onPaste={onPaste} />
      ) : (
        <Textarea {...control} fitted rows={rows} />
      )}
      {proposals && (
        <datalist id={`${id}-proposals`}>
          {proposals.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </FormField>
  );
}
