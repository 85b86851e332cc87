"use client";

import { useId } from "react";
import { FieldProblems } from "@/app/_kit/form-field";
import { RowList } from "@/app/_kit/row-list";
import { CHECKBOX } from "@/app/_ui/checkbox";
import { Input, NativeSelect } from "@/app/_ui/field";
import { Segmented } from "@/app/_ui/segmented";
import { needsSlots, type SlotRow, slotField, slotRow } from "./credential-draft";
import type { FormState } from "./form-state";
import { NamedRow } from "./named-row";

/** Whose credentials the server gets. */
export function CredentialFields({ form }: { form: FormState }) {
  const { draft, change } = form;
  const id = useId();
  const isPersonal = draft.credentials === "personal";
  return (
    <div className="grid gap-3">
      <div>
        <p className="mb-1 flex items-baseline gap-1.5 font-medium">
          Credentials <span className="font-mono font-normal text-2xs text-faint">credentials</span>
        </p>
        <Segmented
          label="Credentials"
          value={draft.credentials}
          options={[
            { value: "shared", label: "Shared" },
            { value: "personal", label: "Personal" },
          ]}
          onChange={(credentials) =>
            change({
              credentials,
              ...(credentials === "personal" && draft.slots.length === 0 && { slots: [slotRow()] }),
            })
          }
        />
        <p className="mt-1 text-mute text-xs">
          {isPersonal
            ? "Each person connects on the server's page. Calls run with the credential of the person they run for, over a connection of their own."
            : "One connection for everyone, with the values and the sign-in above."}
        </p>
        <FieldProblems id={id} problems={[...form.problemsOf("credentials"), ...form.problemsOf("credentials.mode")]} />
      </div>
      {isPersonal && (
        <label className="flex items-start gap-2">
          <input
            type="checkbox"
            className={CHECKBOX}
            checked={draft.openResults}
            onChange={({ target }) => change({ openResults: target.checked })}
          />
          <span>
            Everyone may read arguments and results
            <span className="block text-mute text-xs">
              Otherwise only the caller, the people who may approve the call, and admins.
            </span>
          </span>
        </label>
      )}
      {isPersonal && (needsSlots(draft) ? <SlotRows form={form} /> : <SignInNote />)}
    </div>
  );
}

function SignInNote() {
  return (
    <p className="border-line2 border-l-2 pl-3 text-mute text-xs">
      Each person signs in with an account of their own at the server.
    </p>
  );
}

function SlotRows({ form }: { form: FormState }) {
  const { draft } = form;
  const one = draft.transport === "stdio" ? "variable" : draft.transport === "openapi" ? "value" : "header";
  return (
    <div className="border-line2 border-l-2 pl-3">
      <RowList
        legend="Each person enters"
        dataKey="credentials.slots"
        hint={
          draft.transport === "stdio"
            ? "Names of environment variables; the label is what people see. Their values are stored encrypted."
            : draft.transport === "openapi"
              ? "Names of headers or query parameters; the label is what people see. Their values are stored encrypted."
              : "Names of headers; the label is what people see. Their values are stored encrypted."
        }
        problems={form.problemsOf("credentials.slots")}
        addLabel={`Add ${one}`}
        rows={draft.slots}
        newRow={slotRow}
        onChange={(slots) => form.change({ slots })}
      >
        {({ row, at, edit, remove }) => (
          <SlotFields form={form} row={row} ordinal={`${one} ${at + 1}`} onChange={edit} onRemove={remove} />
        )}
      </RowList>
    </div>
  );
}

interface SlotFieldsProps {
  form: FormState;
  row: SlotRow;
  ordinal: string;
  onChange: (part: Partial<SlotRow>) => void;
  onRemove: () => void;
}

const PLACES = [
  ["header", "Header"],
  ["query", "Query parameter"],
] as const;

function SlotFields({ form, row, ordinal, onChange, onRemove }: SlotFieldsProps) {
  const { draft, problemsOf } = form;
  const field = slotField(draft.slots, row);
  const problems = ["name", "label", "in"].flatMap((key) => problemsOf(`${field}.${key}`));
  return (
    <NamedRow
      name={row.name}
      field={`${field}.name`}
      ordinal={`personal ${ordinal}`}
      placeholder={draft.transport === "stdio" ? "GITHUB_TOKEN" : "Authorization"}
      invalid={problems.length > 0}
      problems={[...problems, ...problemsOf(field)]}
      onName={(name) => onChange({ name })}
      onRemove={onRemove}
    >
      {() => (
        <div className="flex gap-1.5">
          {draft.transport === "openapi" && (
            <NativeSelect
              aria-label={`Place of personal ${ordinal}`}
              data-field={`${field}.in`}
              className="w-auto!"
              value={row.in}
              options={PLACES}
              onChange={({ target }) => onChange({ in: target.value === "query" ? "query" : "header" })}
            />
          )}
          <Input
            aria-label={`Label of personal ${ordinal}`}
            data-field={`${field}.label`}
            value={row.label}
            placeholder="Label (optional)"
            autoComplete="off"
            onChange={(event) => onChange({ label: event.target.value })}
          />
        </div>
      )}
    </NamedRow>
  );
}
