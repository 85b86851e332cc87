"use client";

import { useId } from "react";
import { type EditableRow, RemoveRow, RowList } from "@/app/_kit/form/row-list";
import { FieldProblems } from "@/app/_kit/form-field";
import { Input, NativeSelect } from "@/app/_ui/field";
import { Segmented } from "@/app/_ui/segmented";
import type { ConditionField, ConditionProblem } from "@/lib/contract/call-rule";
import { CALL_FIELDS, readField } from "@/lib/rules/condition-field";
import {
  CONDITION_OPERATORS,
  type ConditionForm,
  type ConditionOperator,
  type ConditionRow,
  findRowProblem,
  isNumberText,
  type Literal,
  type LiteralKind,
  listLiteralKinds,
  OPERATOR_LABELS,
  takesNoValue,
} from "@/lib/rules/condition-form";
import { locateRows } from "@/lib/rules/condition-text";
import { NameList } from "./name-list";

export interface ConditionRowsProps {
  form: ConditionForm;
  onChange: (form: ConditionForm) => void;
  fields: readonly ConditionField[];
  /** Problems of the text that the rows write. */
  found: readonly ConditionProblem[];
  attempted: boolean;
}

const NEW_ROW: ConditionRow = { field: "", operator: "equals", values: [{ kind: "text", text: "" }] };

const JOINS = [
  { value: "and", label: "All of these" },
  { value: "or", label: "Any of these" },
] as const;

/** The rows of a condition: field, operator and value each. */
export function ConditionRows({ form, onChange, fields, found, attempted }: ConditionRowsProps) {
  const id = useId();
  const places = locateRows(form);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {form.rows.length > 1 && (
        <Segmented
          label="A call matches with"
          className="self-start"
          value={form.join}
          options={JOINS}
          onChange={(join) => onChange({ ...form, join })}
        />
      )}
      <RowList
        legend={form.rows.length === 0 ? "Every call in scope matches." : "A call matches when"}
        dataKey="condition"
        problems={[]}
        addLabel="Add condition"
        rows={form.rows}
        newRow={() => NEW_ROW}
        onChange={(rows) => onChange({ ...form, rows })}
      >
        {(editable) => (
          <RowFields
            {...editable}
            fields={fields}
            proposalsId={`${id}-fields`}
            attempted={attempted}
            refused={found
              .filter(({ from }) => isWithin(places[editable.at] ?? null, from))
              .map(({ message }) => message)}
          />
        )}
      </RowList>
      <datalist id={`${id}-fields`}>
        {[...fields.map(({ path }) => path), ...CALL_FIELDS].map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </div>
  );
}

const isWithin = (place: { from: number; to: number } | null, at: number): boolean =>
  place !== null && at >= place.from && at <= place.to;

interface RowFieldsProps extends Pick<EditableRow<ConditionRow>, "row" | "at" | "set" | "remove"> {
  fields: readonly ConditionField[];
  proposalsId: string;
  attempted: boolean;
  refused: readonly string[];
}

function RowFields({ row, at, set, remove, fields, proposalsId, attempted, refused }: RowFieldsProps) {
  const id = useId();
  const known = fields.find(({ path }) => path === row.field.trim());
  const own = attempted ? findRowProblem(row) : null;
  const problems = [...(own === null ? [] : [own.message]), ...refused];
  const change = (part: Partial<ConditionRow>): void => {
    const next = { ...row, ...part };
    const field = fields.find(({ path }) => path === next.field.trim());
    set({ ...next, values: fitValues(next, toKind(field?.type) ?? guessKind(next.field)) });
  };
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)_7.5rem_1.75rem] items-start gap-1.5 sm:max-xl:grid-cols-[minmax(0,5fr)_7.5rem_minmax(0,5fr)_1.75rem] 2xl:grid-cols-[minmax(0,5fr)_7.5rem_minmax(0,5fr)_1.75rem]">
        <Input
          aria-label={`Field of condition ${at + 1}`}
          data-field={`condition.rows[${at}].field`}
          value={row.field}
          invalid={own?.part === "field"}
          list={proposalsId}
          placeholder="args.amount"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          className="font-mono text-xs!"
          aria-describedby={problems.length > 0 ? `${id}-problems` : undefined}
          onChange={({ target }) => change({ field: target.value })}
          onBlur={() => row.field !== "" && change({ field: completeField(row.field) })}
        />
        <NativeSelect
          aria-label={`Operator of condition ${at + 1}`}
          value={row.operator}
          options={CONDITION_OPERATORS.map((operator) => [operator, OPERATOR_LABELS[operator]])}
          onChange={({ target }) => change({ operator: target.value as ConditionOperator })}
        />
        <div className="min-w-0 max-sm:order-4 max-sm:col-span-2 xl:max-2xl:order-4 xl:max-2xl:col-span-2">
          {!takesNoValue(row.operator) && (
            <ValueFields
              row={row}
              at={at}
              known={known}
              isInvalid={own?.part === "value" || refused.length > 0}
              describedBy={problems.length > 0 ? `${id}-problems` : undefined}
              onChange={(values) => set({ ...row, values })}
            />
          )}
        </div>
        <RemoveRow label={`Remove condition ${at + 1}`} onRemove={remove} />
      </div>
      <FieldProblems id={id} problems={problems} />
    </>
  );
}

interface ValueFieldsProps {
  row: ConditionRow;
  at: number;
  known: ConditionField | undefined;
  isInvalid: boolean;
  describedBy: string | undefined;
  onChange: (values: readonly Literal[]) => void;
}

const KIND_LABELS: Record<LiteralKind, string> = {
  text: "text",
  number: "number",
  boolean: "true or false",
  null: "null",
};

function ValueFields({ row, at, known, isInvalid, describedBy, onChange }: ValueFieldsProps) {
  const id = useId();
  const { operator, values } = row;
  const kinds = listLiteralKinds(operator);
  const kind = values[0]?.kind ?? toKind(known?.type) ?? kinds[0] ?? "text";
  // The schema knows the type of a listed field, so the user does not choose it.
  const isKindShown = kinds.length > 1 && toKind(known?.type) !== kind;
  const field = `condition.rows[${at}].value`;
  const seen = (known?.values ?? []).flatMap((value) => (typeof value === "object" ? [] : String(value)));
  const label = `Value of condition ${at + 1}`;
  const text = values[0]?.text ?? "";
  return (
    <div className="flex min-w-0 items-start gap-1.5">
      {isKindShown && (
        <NativeSelect
          aria-label={`Type of value ${at + 1}`}
          className="max-w-28 shrink-0"
          value={kind}
          options={kinds.map((each) => [each, KIND_LABELS[each]])}
          onChange={({ target }) =>
            onChange(convertValues(values.length === 0 ? [{ kind, text: "" }] : values, target.value as LiteralKind))
          }
        />
      )}
      <div className="min-w-0 flex-1">
        {kind === "null" ? null : kind === "boolean" && operator !== "one_of" ? (
          <NativeSelect
            aria-label={label}
            data-field={field}
            invalid={isInvalid}
            aria-describedby={describedBy}
            value={text}
            options={["true", "false"].map((each) => [each, each])}
            onChange={({ target }) => onChange([{ kind, text: target.value }])}
          />
        ) : operator === "one_of" ? (
          <NameList
            plain
            label={`Values of condition ${at + 1}`}
            field={field}
            value={values.map((value) => value.text)}
            proposals={seen}
            placeholder="Enter adds a value"
            onChange={(texts) =>
              onChange(texts.map((each) => values.find((value) => value.text === each) ?? { kind, text: each }))
            }
          />
        ) : (
          <>
            <Input
              aria-label={label}
              data-field={field}
              value={text}
              invalid={isInvalid}
              list={seen.length > 0 ? `${id}-seen` : undefined}
              inputMode={kind === "number" ? "decimal" : undefined}
              placeholder={operator === "matches" ? "^INV-[0-9]+$" : undefined}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              aria-describedby={describedBy}
              className="font-mono text-xs!"
              onChange={({ target }) =>
                onChange([{ kind, text: kind === "number" ? target.value.trim() : target.value }])
              }
            />
            {seen.length > 0 && (
              <datalist id={`${id}-seen`}>
                {seen.map((each) => (
                  <option key={each} value={each} />
                ))}
              </datalist>
            )}
          </>
        )}
      </div>
    </div>
  );
}

/** Completes `amount` to `args.amount`, since users mostly type arguments. */
function completeField(typed: string): string {
  const field = typed.trim();
  return readField(field) === null && readField(`args.${field}`) !== null ? `args.${field}` : field;
}

function toKind(type: ConditionField["type"] | undefined): LiteralKind | null {
  if (type === "string" || type === "boolean") return type === "string" ? "text" : "boolean";
  return type === "number" || type === "integer" ? "number" : null;
}

const guessKind = (field: string): LiteralKind | null => (field.endsWith(")") ? "number" : null);

/** The values that the operator takes, of the kind that the field has where that is known. */
function fitValues({ operator, values }: ConditionRow, kind: LiteralKind | null): readonly Literal[] {
  if (takesNoValue(operator)) return [];
  const wanted = chooseKind(listLiteralKinds(operator), values, kind);
  if (operator !== "one_of")
    return convertValues(values.length === 0 ? [{ kind: wanted, text: "" }] : [...values.slice(0, 1)], wanted);
  return convertValues(
    values.filter((value) => value.text !== "" || value.kind === "null"),
    wanted,
  );
}

/** An operator that compares sizes starts with a number, which users mean more often than a text. */
function chooseKind(kinds: readonly LiteralKind[], values: readonly Literal[], kind: LiteralKind | null): LiteralKind {
  if (kind !== null && kinds.includes(kind)) return kind;
  const [first = "text"] = kinds;
  const current = values[0];
  const isLikely = first === "number" && values.every(({ text }) => text === "" || isNumberText(text));
  return isLikely || current === undefined || !kinds.includes(current.kind) ? first : current.kind;
}

/** Converts the texts to values of another kind; a text that does not fit stays and is reported. */
function convertValues(values: readonly Literal[], kind: LiteralKind): Literal[] {
  return values.map((value) => {
    if (kind === "null") return { kind, text: "" };
    if (kind === "boolean") return { kind, text: value.text === "false" ? "false" : "true" };
    return { kind, text: kind === "number" && !isNumberText(value.text) ? value.text.trim() : value.text };
  });
}
