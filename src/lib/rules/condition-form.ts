import { endsWithName, isComputed, readField } from "./condition-field";

/** The operators of the builder, in the order of its list. */
export const CONDITION_OPERATORS = [
  "equals",
  "differs",
  "above",
  "at_least",
  "below",
  "at_most",
  "contains",
  "starts_with",
  "matches",
  "one_of",
  "includes",
  "missing",
  "present",
] as const;
export type ConditionOperator = (typeof CONDITION_OPERATORS)[number];

export const OPERATOR_LABELS: Readonly<Record<ConditionOperator, string>> = {
  equals: "=",
  differs: "≠",
  above: ">",
  at_least: "≥",
  below: "<",
  at_most: "≤",
  contains: "contains",
  starts_with: "starts with",
  matches: "matches",
  one_of: "is one of",
  includes: "includes",
  missing: "is missing",
  present: "is present",
};

export const LITERAL_KINDS = ["text", "number", "boolean", "null"] as const;
export type LiteralKind = (typeof LITERAL_KINDS)[number];

/** A value as it is typed: a number keeps its digits. The text of null is empty. */
export interface Literal {
  kind: LiteralKind;
  text: string;
}

export interface ConditionRow {
  /** The field as text: `args.amount`, `caller.role`, `count(60)`. */
  field: string;
  operator: ConditionOperator;
  /** The values: none for `missing` and `present`, several for `one_of`, else one. */
  values: readonly Literal[];
}

/** A condition that the builder can show. A single row is joined by `and`. */
export interface ConditionForm {
  join: "and" | "or";
  rows: readonly ConditionRow[];
}

export const EMPTY_CONDITION: ConditionForm = { join: "and", rows: [] };

export const takesNoValue = (operator: ConditionOperator): boolean => operator === "missing" || operator === "present";

const TEXT_OPERATORS: readonly ConditionOperator[] = ["contains", "starts_with", "matches"];
const ORDER_OPERATORS: readonly ConditionOperator[] = ["above", "at_least", "below", "at_most"];

const NUMBER_OPERATORS: readonly ConditionOperator[] = ["equals", "differs", "one_of", ...ORDER_OPERATORS];

/** The kinds of values that an operator compares with. */
export function listLiteralKinds(operator: ConditionOperator): readonly LiteralKind[] {
  if (takesNoValue(operator)) return [];
  if (TEXT_OPERATORS.includes(operator)) return ["text"];
  return ORDER_OPERATORS.includes(operator) ? ["number", "text"] : LITERAL_KINDS;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export const isNumberText = (text: string): boolean => NUMBER.test(text);

/** Why a row cannot be written as CEL; null where it can. */
export function findRowProblem({
  field,
  operator,
  values,
}: ConditionRow): { part: "field" | "value"; message: string } | null {
  if (field.trim() === "") return { part: "field", message: "Choose a field" };
  const path = readField(field);
  if (path === null) {
    return {
      part: "field",
      message: "Begin with args., tool., caller., client., result., time.get…() or count(minutes)",
    };
  }
  if (isComputed(path) && !NUMBER_OPERATORS.includes(operator)) {
    return { part: "field", message: `${path.root} is a number: compare it with =, ≠, >, ≥, < or ≤` };
  }
  if (takesNoValue(operator)) {
    if (endsWithName(path)) return null;
    return { part: "field", message: "Choose a field whose last part is a plain name, or edit the condition as text" };
  }
  if (values.length === 0) return { part: "value", message: "Enter a value" };
  for (const { kind, text } of values) {
    if (!listLiteralKinds(operator).includes(kind)) {
      return { part: "value", message: `"${OPERATOR_LABELS[operator]}" takes ${describeKinds(operator)}` };
    }
    if (kind === "number" && !isNumberText(text)) {
      return { part: "value", message: text.trim() === "" ? "Enter a number" : `${text} is not a number` };
    }
    if (kind === "boolean" && text !== "true" && text !== "false") {
      return { part: "value", message: "Choose true or false" };
    }
  }
  return null;
}

function describeKinds(operator: ConditionOperator): string {
  return listLiteralKinds(operator).length === 1 ? "text" : "a number or text";
}
