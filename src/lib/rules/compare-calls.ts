import {
  addToColumn,
  type Candidate,
  type ComparedEnd,
  type FieldColumn,
  readQuantile,
  roundBetween,
  sortNumbers,
  toBound,
  toCandidate,
  toColumn,
  toEqual,
  toPart,
  toRow,
} from "./call-columns";
import { type CallField, listCallFields } from "./call-fields";
import type { ConditionRow } from "./condition-form";
import { writeCondition } from "./condition-text";

/**
 * The purpose of conditions. `apart`: few calls have the properties of this one. `caught`: failed calls have them, and
 * good ones do not. `alike`: similar calls share them.
 */
export type ProposalGoal = "apart" | "caught" | "alike";

export const MAX_PROPOSALS = 3;
/** A condition sets a call apart that at most this part of the calls meets. */
const RARE = 0.2;
/** Less than this part of the calls is no kind of call. */
const COMMON = 0.05;
const CUTS = [0.5, 0.75, 0.9, 0.95, 0.99];
/** The number of single conditions that are tried in pairs. */
const MAX_PAIRED = 6;

/** Compares a call with others of its tool, argument by argument, and proposes conditions as CEL. */
export class CallComparison {
  readonly #columns: readonly FieldColumn[];
  readonly #ends: ComparedEnd[] = [];
  /** Candidates are compared often, and calls are many. */
  readonly #scores = new Map<Candidate, number>();

  constructor(argumentsText: string) {
    this.#columns = listCallFields(argumentsText).map(toColumn);
  }

  /** @param args of another call; `undefined` where they are not known */
  add(args: unknown, end: ComparedEnd): void {
    if (args === undefined) return;
    this.#ends.push(end);
    for (const column of this.#columns) addToColumn(column, args);
  }

  /** At most three conditions, the best first. */
  propose(goal: ProposalGoal): string[] {
    const found = goal === "apart" ? this.#listApart() : goal === "caught" ? this.#listCaught() : this.#listAlike();
    const conditions = found.map(({ rows }) => writeCondition({ join: "and", rows }));
    return [...new Set(conditions)].slice(0, MAX_PROPOSALS);
  }

  #share = ({ matched, matches }: Candidate): number => matched / Math.max(matches.length, 1);

  #listApart(): Candidate[] {
    const all = this.#columns.flatMap((column) => {
      const bounds = this.#boundsBeyond(column);
      const isBeyond = bounds.some((each) => this.#share(each) <= RARE);
      return [...bounds, ...list(toPart(column)), ...(isBeyond ? [] : [toEqual(column)])];
    });
    const rare = all.filter((each) => each.matched <= 1 || this.#share(each) <= RARE);
    const order = (left: Candidate, right: Candidate): number =>
      Number(right.isGeneral) - Number(left.isGeneral) || this.#share(left) - this.#share(right);
    // Where no value is rare, the rarest ones are proposed.
    const singles = (rare.length > 0 ? rare : all).sort(order);
    const [first, second] = singles;
    const isLoose = first !== undefined && second !== undefined && rare.length === 0;
    return isLoose && first.rows[0]?.field !== second.rows[0]?.field ? [join(first, second), ...singles] : singles;
  }

  /** Thresholds beyond which few calls are, for a number that is beyond them. */
  #boundsBeyond(column: FieldColumn): Candidate[] {
    const { field } = column;
    const sorted = sortNumbers(column, () => true);
    if (field.literal.kind !== "number" || sorted.length === 0) return [];
    const value = Number(field.literal.text);
    const low = readQuantile(sorted, 0.05);
    const high = readQuantile(sorted, 0.95);
    if (value > high) return [toBound(column, "above", String(roundBetween(high, value)))];
    if (value < low) return [toBound(column, "below", writeBelow(low, value))];
    const isHigh = value >= readQuantile(sorted, 0.5);
    return [toBound(column, isHigh ? "at_least" : "at_most", field.literal.text)];
  }

  #listCaught(): Candidate[] {
    const singles = this.#columns
      .flatMap((column) => [...this.#cuts(column), ...list(toPart(column)), toEqual(column)])
      .filter(({ isGeneral }) => isGeneral)
      .sort(this.#byScore);
    const best = keepOnePerField(singles).slice(0, MAX_PAIRED);
    const pairs = best.flatMap((one, at) => best.slice(at + 1).map((other) => join(one, other)));
    const better = pairs.filter(
      (pair) => this.#score(pair) > Math.max(...best.filter((each) => contains(pair, each)).map(this.#score)),
    );
    return [...best, ...better].filter((each) => this.#score(each) > 0).sort(this.#byScore);
  }

  /** Thresholds between this call's number and the others. */
  #cuts(column: FieldColumn): Candidate[] {
    const { field } = column;
    if (field.literal.kind !== "number") return [];
    const value = Number(field.literal.text);
    const isGood = (at: number): boolean => this.#ends[at] === "good";
    const known = sortNumbers(column, isGood);
    const sorted = known.length > 0 ? known : sortNumbers(column, () => true);
    const above = CUTS.map((part) => readQuantile(sorted, part))
      .filter((cut) => cut < value)
      .map((cut) => toBound(column, "above", String(roundBetween(cut, value))));
    const below = CUTS.map((part) => readQuantile(sorted, 1 - part))
      .filter((cut) => cut > value)
      .map((cut) => toBound(column, "below", writeBelow(cut, value)));
    return [...above, ...below];
  }

  /** The part of the failed calls that is met, less twice that of the good ones: a rule must not stop work that goes well. */
  #score = (candidate: Candidate): number => {
    const known = this.#scores.get(candidate);
    if (known !== undefined) return known;
    const rate = (end: ComparedEnd): number => {
      const met = candidate.matches.filter((isMet, at) => isMet && this.#ends[at] === end).length;
      return met / Math.max(this.#ends.filter((each) => each === end).length, 1);
    };
    const score = rate("failed") - 2 * rate("good");
    this.#scores.set(candidate, score);
    return score;
  };

  #byScore = (left: Candidate, right: Candidate): number =>
    this.#score(right) - this.#score(left) || left.rows.length - right.rows.length;

  #listAlike(): Candidate[] {
    const bounds = this.#columns
      .filter(({ field }) => field.literal.kind === "number")
      .map((column) => toBound(column, "at_most", column.field.literal.text));
    const kinds = this.#columns
      .filter(({ field }) => field.literal.kind !== "number")
      .flatMap(
        (column) => [toEqual(column), ...list(toPart(column))].find((each) => this.#share(each) >= COMMON) ?? [],
      );
    const all = [...bounds, ...kinds];
    const singles = all.toSorted((left, right) => this.#share(right) - this.#share(left));
    return all.length > 1 ? [all.reduce(join), ...singles] : singles;
  }
}

const list = <Item>(item: Item | null): Item[] => (item === null ? [] : [item]);

const join = (one: Candidate, other: Candidate): Candidate =>
  toCandidate(
    [...one.rows, ...other.rows],
    one.matches.map((isMet, at) => isMet && other.matches[at] === true),
    one.isGeneral && other.isGeneral,
  );

const contains = (pair: Candidate, { rows }: Candidate): boolean => rows.every((row) => pair.rows.includes(row));

function keepOnePerField(candidates: readonly Candidate[]): Candidate[] {
  const fields = new Set<string>();
  return candidates.filter(({ rows }) => {
    const field = rows[0]?.field ?? "";
    if (fields.has(field)) return false;
    fields.add(field);
    return true;
  });
}

/** The bound as it is, unless its mirror image has a round number before the value. */
const writeBelow = (cut: number, value: number): string => String(-roundBetween(-cut, -value));

/** The condition that compares one number of a call with its value: what is beyond it, or what is not. */
export function compareField(fields: readonly CallField[], field: string, isBeyond: boolean): ConditionRow | null {
  const found = fields.find((each) => each.field === field && each.literal.kind === "number");
  return found === undefined ? null : toRow(found.field, isBeyond ? "above" : "at_most", found.literal);
}
