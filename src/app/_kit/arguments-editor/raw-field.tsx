import { useContext, useState } from "react";
import { Textarea } from "@/app/_ui/field";
import type { JsonValue } from "@/lib/contract/json";
import { emptyHint, emptyLook, type FieldControl } from "./field-control";
import { RawDraftsContext, useArgumentsForm } from "./form-context";
import { prettyPayload, readPayload } from "./payload-text";

interface RawFieldProps {
  control: FieldControl;
  pointer: string;
  value: JsonValue | undefined;
  /** Emptying the field makes it absent; else an empty text is a mistake. */
  clearable: boolean;
  /** Typing begins and ends: the field must not change its kind in between. */
  onEditing: (editing: boolean) => void;
}

/** Any JSON value, as text. Text that is not JSON is kept, and nothing can be sent until it is. */
export function RawField({ control, pointer, value, clearable, onEditing }: RawFieldProps) {
  const { dispatch } = useArgumentsForm();
  const draft = useContext(RawDraftsContext).get(pointer);
  const [typed, setTyped] = useState<{ text: string; value: JsonValue | undefined } | null>(null);
  const own = typed !== null && Object.is(typed.value, value) ? typed.text : null;
  const text = draft?.text ?? own ?? (value === undefined ? "" : prettyPayload(value));
  const faultId = `${control.id}-draft`;

  const type = (next: string) => {
    if (next.trim() === "" && clearable) {
      setTyped({ text: next, value: undefined });
      dispatch({ type: "unset", pointer });
      return;
    }
    const read = readPayload(next);
    if (read.ok) {
      setTyped({ text: next, value: read.value });
      dispatch({ type: "set", pointer, value: read.value });
    } else dispatch({ type: "draft", pointer, text: next, fault: read.fault });
  };
  const describedBy = [control["aria-describedby"], draft && faultId].filter(Boolean).join(" ");
  return (
    <>
      <Textarea
        {...control}
        invalid={control.invalid || draft !== undefined}
        aria-describedby={describedBy === "" ? undefined : describedBy}
        value={text}
        rows={Math.min(text.split("\n").length, 12)}
        placeholder={value === undefined ? `${emptyHint(value)} · any JSON` : undefined}
        fitted
        spellCheck={false}
        autoComplete="off"
        onFocus={() => onEditing(true)}
        onBlur={() => onEditing(false)}
        onChange={(event) => type(event.target.value)}
        className={`block min-h-8! max-h-72 resize-y font-mono text-xs! leading-5 ${value === undefined ? (emptyLook(value) ?? "") : ""}`}
      />
      {draft !== undefined && (
        <p id={faultId} className="mt-1 text-bad text-xs">
          Invalid JSON at line {draft.fault.line}, column {draft.fault.column}: {draft.fault.message}
        </p>
      )}
    </>
  );
}
