import { type ReactNode, useId } from "react";
import { describedBy, FormField } from "@/app/_kit/form-field";
import { Input } from "@/app/_ui/field";

interface AccountFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  type?: "text" | "email" | "password";
  /** The `autocomplete` attribute, which password managers read. */
  autoComplete: string;
  hint?: ReactNode;
  problems?: readonly string[] | undefined;
  required?: boolean;
  readOnly?: boolean;
  autoFocus?: boolean;
  maxLength?: number;
  placeholder?: string;
}

const NONE: readonly string[] = [];

/** One text about a user or a token. */
export function AccountField({ label, onChange, hint, problems = NONE, required, ...native }: AccountFieldProps) {
  const id = useId();
  return (
    <FormField id={id} label={label} hint={hint} problems={problems}>
      <Input
        {...native}
        className={native.readOnly ? "text-mute" : undefined}
        id={id}
        invalid={problems.length > 0}
        aria-required={required || undefined}
        aria-describedby={describedBy(id, { hint: hint !== undefined, problems })}
        autoCapitalize="off"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
    </FormField>
  );
}
