import { type AlignedKeys, alignSequences } from "../align-sequences";
import { readMessageText } from "../contract/chat";
import type { RunDifferences } from "../contract/run";
import { canonicalJson } from "../json/canonical-json";
import type { RunCall, RunStep, RunTurn } from "./build-turns";

/** The compared steps of a run, in order: user messages, model responses and calls. */
export type RunPart =
  | { kind: "message"; step: number; turn: RunTurn }
  | { kind: "text"; step: number; of: RunStep }
  | { kind: "call"; step: number; call: RunCall };

/** Parts of two runs that belong together; one side is null where only the other run has the part. */
export interface ComparedPart {
  kind: "same" | "changed" | "removed" | "added";
  left: RunPart | null;
  right: RunPart | null;
  /** The parts of a call that differ. */
  changed?: "arguments" | "result";
}

export interface RunComparison {
  rows: ComparedPart[];
  /** The first row that differs; null where none does. */
  first: number | null;
  /** The first row of a call that differs. */
  firstCall: number | null;
}

type Keyed = { part: RunPart } & AlignedKeys;

/**
 * Aligns two runs: calls of the same tool with the same arguments belong together, then calls of the same tool. Times, tokens and ids always
 * differ, so they are not compared.
 */
export function compareRuns(left: readonly RunTurn[], right: readonly RunTurn[]): RunComparison {
  const one = listParts(left);
  const other = listParts(right);
  const rows = alignSequences(one, other).map((place) =>
    toRow(
      place.left === undefined ? undefined : one[place.left],
      place.right === undefined ? undefined : other[place.right],
    ),
  );
  const find = (matches: (row: ComparedPart) => boolean): number | null => {
    const at = rows.findIndex((row) => row.kind !== "same" && matches(row));
    return at === -1 ? null : at;
  };
  return { rows, first: find(() => true), firstCall: find((row) => (row.left ?? row.right)?.kind === "call") };
}

/** Lists the differences of two compared runs, for REST and the command line. */
export function listDifferences({ rows, first, firstCall }: RunComparison): Omit<RunDifferences, "before" | "after"> {
  const items = rows.flatMap(({ kind, left, right, changed }): RunDifferences["items"] => {
    const part = left ?? right;
    if (kind === "same" || part === null) return [];
    const tool = part.kind === "call" ? part.call.name : null;
    const sides = { before: left && toSide(left), after: right && toSide(right) };
    return [{ kind, part: part.kind === "text" ? "response" : part.kind, tool, changed: changed ?? null, ...sides }];
  });
  const verdict = first === null ? "same" : firstCall === null ? "texts" : "calls";
  return { verdict, same: rows.length - items.length, items };
}

const SIDE_CHARS = 500;

function toSide(part: RunPart): NonNullable<RunDifferences["items"][number]["before"]> {
  const { step } = part;
  const [own, result] = readSide(part);
  const executionId = part.kind === "call" ? part.call.executionId : null;
  return { step, text: own.slice(0, SIDE_CHARS), result: result?.slice(0, SIDE_CHARS) ?? null, executionId };
}

function readSide(part: RunPart): [text: string, result: string | null] {
  if (part.kind === "message") return [part.turn.message === null ? "" : readMessageText(part.turn.message), null];
  if (part.kind === "text") return [part.of.answer?.text ?? part.of.failure?.error ?? "", null];
  const { argumentsText, result } = part.call;
  return [argumentsText, result?.exception?.message ?? result?.result ?? null];
}

function toRow(one: Keyed | undefined, other: Keyed | undefined): ComparedPart {
  const sides = { left: one?.part ?? null, right: other?.part ?? null };
  if (one === undefined) return { kind: "added", ...sides };
  if (other === undefined) return { kind: "removed", ...sides };
  if (one.whole === other.whole) return { kind: "same", ...sides };
  if (one.part.kind !== "call") return { kind: "changed", ...sides };
  return { kind: "changed", ...sides, changed: one.strong === other.strong ? "result" : "arguments" };
}

/** The parts of a run with their keys, as far as they are loaded. */
function listParts(turns: readonly RunTurn[]): Keyed[] {
  const parts: Keyed[] = [];
  const addText = (part: RunPart, ...content: readonly (string | number | undefined)[]): void => {
    const whole = join(part.kind, ...content);
    parts.push({ part, whole, strong: whole, weak: part.kind });
  };
  let last = 0;
  for (const turn of turns) {
    const { message, messageCut } = turn;
    const part = { kind: "message", step: firstStep(turn) ?? last + 1, turn } as const;
    if (message !== null) addText(part, readMessageText(message), messageCut?.chars);
    for (const item of turn.items) {
      if (item.kind !== "step") continue;
      const { step, answer, failure, calls } = item.step;
      last = step;
      if (failure !== null || (answer !== null && answer.text !== "")) {
        addText({ kind: "text", step, of: item.step }, answer?.text, answer?.textCut?.chars, failure?.error);
      }
      for (const call of calls) parts.push({ part: { kind: "call", step, call }, ...toCallKeys(call) });
    }
  }
  return parts;
}

/** The step that begins to answer a turn's message; undefined before there is one. */
export function firstStep({ items }: RunTurn): number | undefined {
  const item = items.find(({ kind }) => kind === "step");
  return item?.kind === "step" ? item.step.step : undefined;
}

function toCallKeys({ name, argumentsText, argumentsCut, status, result, resultCut }: RunCall): AlignedKeys {
  const { exception, result: text } = result ?? {};
  const strong = join("call", name, canonical(argumentsText), argumentsCut?.chars);
  return { whole: join(strong, status, exception?.message ?? text, resultCut?.chars), strong, weak: `call ${name}` };
}

function canonical(text: string): string {
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    return text;
  }
}

const join = (...parts: readonly (string | number | undefined)[]): string => JSON.stringify(parts);
