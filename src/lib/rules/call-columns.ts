import { isPlainObject } from "../contract/json";
import { type CallField, findTextPart, type TextPart } from "./call-fields";
import type { ConditionOperator, ConditionRow, Literal } from "./condition-form";

/** How a compared call ended: `good` succeeded; `other` was rejected or cancelled, or has not ended. */
export type ComparedEnd = "good" | "failed" | "other";

/** The values of one argument in the compared calls, beside the call that they are compared with. */
export interface FieldColumn {
  field: CallField;
  part: TextPart | null;
  /** The numbers of the calls; NaN where a call has none. */
  numbers: number[];
  /** Whether the call has the same value, by its position. */
  equal: boolean[];
  /** Whether its text has the same part. */
  shares: boolean[];
}

export const toColumn = (field: CallField): FieldColumn => ({
  field,
  part: field.literal.kind === "text" ? findTextPart(field.literal.text) : null,
  numbers: [],
  equal: [],
  shares: [],
});

/** Adds the value of a call in this argument. */
export function addToColumn(column: FieldColumn, args: unknown): void {
  const { field, part } = column;
  const value = readKeys(args, field.keys);
  const text = typeof value === "string" ? value : null;
  column.numbers.push(typeof value === "number" ? value : Number.NaN);
  column.equal.push(value !== undefined && value !== null && isSame(value, field.literal));
  column.shares.push(
    part !== null && text !== null && (part.at === "end" ? text.endsWith(part.text) : text.startsWith(part.text)),
  );
}

const isSame = (value: unknown, { kind, text }: CallField["literal"]): boolean =>
  kind === "number" ? value === Number(text) : kind === "boolean" ? value === (text === "true") : value === text;

function readKeys(args: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (container, key) => (isPlainObject(container) && Object.hasOwn(container, key) ? container[key] : undefined),
    args,
  );
}

/** A condition on one argument, with the compared calls that meet it. */
export interface Candidate {
  rows: readonly ConditionRow[];
  matches: readonly boolean[];
  /** The number of matched values. */
  matched: number;
  /** It compares numbers, or names what several calls share: a better condition than a value that only this call has. */
  isGeneral: boolean;
}

export function toCandidate(rows: readonly ConditionRow[], matches: readonly boolean[], isGeneral = true): Candidate {
  return { rows, matches, matched: matches.filter(Boolean).length, isGeneral };
}

export function toRow(field: string, operator: ConditionOperator, literal: Literal): ConditionRow {
  return { field, operator, values: [literal] };
}

/** The calls with the same value. */
export function toEqual({ field, equal }: FieldColumn): Candidate {
  const { kind } = field.literal;
  const isGeneral = kind === "boolean" || equal.filter(Boolean).length > 1;
  return toCandidate([toRow(field.field, "equals", field.literal)], equal, isGeneral);
}

/** The calls whose text has the same part; null for a text without parts. */
export function toPart({ field, part, shares }: FieldColumn): Candidate | null {
  if (part === null) return null;
  const row =
    part.at === "start"
      ? toRow(field.field, "starts_with", { kind: "text", text: part.text })
      : toRow(field.field, "matches", { kind: "text", text: `${escapePattern(part.text)}$` });
  return toCandidate([row], shares);
}

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** The calls whose number satisfies the operator with a bound. */
export function toBound({ field, numbers }: FieldColumn, operator: Bound, bound: string): Candidate {
  const limit = Number(bound);
  const row = toRow(field.field, operator, { kind: "number", text: bound });
  return toCandidate(
    [row],
    numbers.map((each) => COMPARE[operator](each, limit)),
  );
}

type Bound = "above" | "at_least" | "below" | "at_most";

const COMPARE: Readonly<Record<Bound, (value: number, limit: number) => boolean>> = {
  above: (value, limit) => value > limit,
  at_least: (value, limit) => value >= limit,
  below: (value, limit) => value < limit,
  at_most: (value, limit) => value <= limit,
};

/** The numbers of a column in ascending order. @param keep which calls, by their position */
export function sortNumbers({ numbers }: FieldColumn, keep: (at: number) => boolean): number[] {
  return numbers.filter((value, at) => !Number.isNaN(value) && keep(at)).sort((left, right) => left - right);
}

/** The value below which a given part of ascending numbers lies. */
export function readQuantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

/**
 * A round number that is at least `from` and below `below`: 500 for 487 and 900. Returns `from` where there is none.
 */
export function roundBetween(from: number, below: number): number {
  if (!Number.isFinite(from) || from === 0) return from;
  const size = 10 ** Math.floor(Math.log10(Math.abs(from)));
  for (const step of [1, 0.5, 0.1]) {
    const rounded = Number((Math.ceil(from / (size * step)) * size * step).toPrecision(12));
    if (rounded >= from && rounded < below) return rounded;
  }
  return from;
}
