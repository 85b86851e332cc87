"use client";

import { Eye, EyeOff } from "lucide-react";
import { Button, IconButton } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Input } from "@/app/_ui/field";
import { isOnlyReferences } from "@/lib/server-settings/expand-variables";
import { keepsStored, type SecretRow } from "./server-draft";

export interface SecretInputProps {
  row: SecretRow;
  /** Accessible name of the value. */
  label: string;
  field: string;
  invalid: boolean;
  describedBy?: string | undefined;
  id?: string;
  revealed: boolean;
  onReveal: (shown: boolean) => void;
  onChange: (part: Partial<SecretRow>) => void;
}

/**
 * A value that may be a secret. What is stored never comes back from the server: it is kept, or replaced as a whole.
 * References such as `${TOKEN}` tell no secret and are shown.
 */
export function SecretInput({
  row,
  label,
  field,
  invalid,
  describedBy,
  id,
  revealed,
  onReveal,
  onChange,
}: SecretInputProps) {
  const kept = keepsStored(row);
  if (kept && !row.replacing) {
    return (
      <div className="flex h-8 items-center gap-2 rounded-md border border-edge border-dashed pr-1 pl-2.5 text-mute">
        <span aria-hidden className="font-mono text-xs tracking-widest">
          ••••••
        </span>
        <span className="min-w-0 flex-1 truncate text-xs">stored</span>
        <Button id={id} variant="ghost" onClick={() => onChange({ replacing: true })} data-field={field}>
          Replace<span className="sr-only"> {label.toLowerCase()}</span>
        </Button>
      </div>
    );
  }
  const plain = revealed || (row.value !== "" && isOnlyReferences(row.value));
  return (
    <div className="relative">
      <Input
        id={id}
        type={plain ? "text" : "password"}
        aria-label={label}
        data-field={field}
        value={row.value}
        invalid={invalid}
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a person may type
        placeholder={kept ? "stored, leave empty to keep" : "value, or a ${VARIABLE}"}
        autoFocus={row.replacing && row.value === ""}
        autoComplete="off"
        spellCheck={false}
        data-1p-ignore=""
        className={cx("font-mono text-xs!", row.replacing ? "pr-24" : "pr-9")}
        aria-describedby={describedBy}
        onChange={(event) => onChange({ value: event.target.value })}
      />
      <span className="absolute top-0.5 right-0.5 flex items-center">
        {row.replacing && (
          <Button
            variant="ghost"
            onClick={() => onChange({ replacing: false, value: "", name: row.storedName ?? row.name })}
          >
            Keep<span className="sr-only"> the stored {label.toLowerCase()}</span>
          </Button>
        )}
        <IconButton
          label={revealed ? `Hide ${label.toLowerCase()}` : `Show ${label.toLowerCase()}`}
          aria-pressed={revealed}
          disabled={row.value === ""}
          onClick={() => onReveal(!revealed)}
        >
          {revealed ? (
            <EyeOff aria-hidden size={15} strokeWidth={1.6} />
          ) : (
            <Eye aria-hidden size={15} strokeWidth={1.6} />
          )}
        </IconButton>
      </span>
    </div>
  );
}
