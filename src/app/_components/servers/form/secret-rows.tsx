"use client";

import { useId } from "react";
import { FieldProblems } from "@/app/_kit/form-field";
import { RemoveRow, RowList } from "@/app/_kit/row-list";
import { Input } from "@/app/_ui/field";
import type { FormState } from "./form-state";
import { SecretInput } from "./secret-input";
import { rowField, type SecretRow, secretRow } from "./server-draft";

export interface SecretRowsProps {
  form: FormState;
  list: "env" | "headers" | "query";
}

const WORDS = {
  env: {
    legend: "Environment",
    one: "variable",
    add: "Add variable",
    name: "API_KEY",
    hint: "Only these and the basic system variables are passed to the process. Values are stored encrypted.",
  },
  headers: {
    legend: "Headers",
    one: "header",
    add: "Add header",
    name: "Authorization",
    hint: "Sent with every request. Values are stored encrypted.",
  },
  query: {
    legend: "Query parameters",
    one: "query parameter",
    add: "Add query parameter",
    name: "api_key",
    hint: "Sent with every request. Values are stored encrypted.",
  },
} as const;

/** Names with values that may be secret: environment variables or headers. */
export function SecretRows({ form, list }: SecretRowsProps) {
  const rows = form.draft[list];
  const words = WORDS[list];
  return (
    <RowList
      legend={words.legend}
      dataKey={list}
      hint={words.hint}
      problems={form.problemsOf(list)}
      addLabel={words.add}
      rows={rows}
      newRow={secretRow}
      onChange={(next) => form.change({ [list]: next })}
    >
      {({ row, at, edit, remove }) => (
        <SecretRowFields
          form={form}
          row={row}
          field={rowField(list, rows, row)}
          ordinal={`${words.one} ${at + 1}`}
          placeholder={words.name}
          onChange={edit}
          onRemove={remove}
        />
      )}
    </RowList>
  );
}

interface SecretRowFieldsProps {
  form: FormState;
  row: SecretRow;
  field: string;
  ordinal: string;
  placeholder: string;
  onChange: (part: Partial<SecretRow>) => void;
  onRemove: () => void;
}

function SecretRowFields({ form, row, field, ordinal, placeholder, onChange, onRemove }: SecretRowFieldsProps) {
  const id = useId();
  const nameProblems = [...form.problemsOf(`${field}.name`), ...form.problemsOf(field)];
  const valueProblems = form.problemsOf(`${field}.value`);
  const problems = [...nameProblems, ...valueProblems];
  const renamed = row.storedName !== null && row.storedName !== row.name;
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)_1.75rem] items-center gap-1.5 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_1.75rem]">
        <Input
          aria-label={`Name of ${ordinal}`}
          data-field={`${field}.name`}
          value={row.name}
          invalid={nameProblems.length > 0}
          placeholder={placeholder}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          className="font-mono text-xs!"
          aria-describedby={problems.length > 0 ? `${id}-problems` : undefined}
          onChange={(event) => onChange({ name: event.target.value })}
        />
        <div className="max-sm:order-3 max-sm:col-span-2">
          <SecretInput
            row={row}
            label={row.name === "" ? `Value of ${ordinal}` : `Value of ${row.name}`}
            field={`${field}.value`}
            invalid={valueProblems.length > 0}
            describedBy={problems.length > 0 ? `${id}-problems` : undefined}
            revealed={form.revealed === row.key}
            onReveal={(shown) => form.reveal(shown ? row.key : null)}
            onChange={onChange}
          />
        </div>
        <RemoveRow label={`Remove ${row.name === "" ? ordinal : row.name}`} onRemove={onRemove} />
      </div>
      {renamed && (
        <p className="mt-1 text-warn text-xs [overflow-wrap:anywhere]">
          The stored value belongs to “{row.storedName}”: under another name it has to be typed again.
        </p>
      )}
      <FieldProblems id={id} problems={problems} />
    </>
  );
}
