"use client";

import { RowList } from "@/app/_kit/row-list";
import type { FormState } from "./form-state";
import { NamedRow } from "./named-row";
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
  const nameProblems = [...form.problemsOf(`${field}.name`), ...form.problemsOf(field)];
  const valueProblems = form.problemsOf(`${field}.value`);
  const renamed = row.storedName !== null && row.storedName !== row.name;
  return (
    <NamedRow
      name={row.name}
      field={`${field}.name`}
      ordinal={ordinal}
      placeholder={placeholder}
      invalid={nameProblems.length > 0}
      problems={[...nameProblems, ...valueProblems]}
      onName={(name) => onChange({ name })}
      onRemove={onRemove}
      note={
        renamed && (
          <p className="mt-1 text-warn text-xs [overflow-wrap:anywhere]">
            The stored value belongs to “{row.storedName}”: under another name it has to be typed again.
          </p>
        )
      }
    >
      {(describedBy) => (
        <SecretInput
          row={row}
          label={row.name === "" ? `Value of ${ordinal}` : `Value of ${row.name}`}
          field={`${field}.value`}
          invalid={valueProblems.length > 0}
          describedBy={describedBy}
          revealed={form.revealed === row.key}
          onReveal={(shown) => form.reveal(shown ? row.key : null)}
          onChange={onChange}
        />
      )}
    </NamedRow>
  );
}
