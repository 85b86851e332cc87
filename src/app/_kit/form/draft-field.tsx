import { type ClipboardEventHandler, useId } from "react";
import { cx } from "@/app/_ui/class-names";
import { Input, Textarea } from "@/app/_ui/field";
import { describedBy, FormField } from "../form-field";
import type { FieldLook } from "./fields";

interface DraftFieldProps extends FieldLook {
  label: string;
  /** The path of the field in the saved object. */
  field: string;
  value: string;
  problems?: readonly string[];
  onChange: (value: string) => void;
  readOnly?: boolean;
  onPaste?: ClipboardEventHandler<HTMLInputElement>;
}

const NO_PROBLEMS: readonly string[] = [];

/** A text field of a form, with its hint and problems. */
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
    short = false,
    type,
    autoComplete = "off",
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
    autoComplete,
    autoCapitalize: mono || type !== undefined ? "off" : undefined,
    spellCheck: !mono && type === undefined,
    className: cx(
      rows !== undefined && "max-h-96",
      mono && "font-mono text-xs!",
      short && "max-w-40",
      native.readOnly === true && "text-mute",
    ),
    "aria-required": required || undefined,
    "aria-describedby": describedBy(id, { hint: hint !== undefined, problems }),
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  return (
    <FormField id={id} label={label} dataKey={dataKey} required={required} hint={hint} problems={problems}>
      {rows === undefined ? (
        <Input {...control} type={type} list={proposals && `${id}-proposals`} onPaste={onPaste} />
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
