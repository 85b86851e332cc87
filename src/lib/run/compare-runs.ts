import { readMessageText } from "../contract/chat";
import { canonicalJson } from "../json/canonical-json";
import type { RunCall, RunStep, RunTurn } from "./build-turns";

/** A part of a run that is compared: a message by the step that answers it, a response's text, or a call by its position. */
export type RunPart = `${number} message` | `${number} text` | `${number} call ${number}`;

/** The differences of two runs. It compares steps of the same number: a rerun continues the numbers of the steps that it took over. */
export interface RunDifferences {
  /** The first step that differs; null where none does. */
  first: RunPart | null;
  parts: ReadonlySet<RunPart>;
}

/** Compares what was said, called and returned; times, tokens and ids always differ. */
export function compareRuns(left: readonly RunTurn[], right: readonly RunTurn[]): RunDifferences {
  const [one, other] = [listParts(left), listParts(right)];
  const all = [...new Set([...one.keys(), ...other.keys()])].sort(comparePlaces);
  // The first step may be incomplete where the beginning of the log is not loaded.
  const from = Math.max(firstPlace(one), firstPlace(other));
  const parts = all.filter((part) => toStep(part) > from && one.get(part) !== other.get(part));
  return { first: parts[0] ?? null, parts: new Set(parts) };
}

const toStep = (part: RunPart): number => Number.parseInt(part, 10);

/** The step before the first whole one. */
function firstPlace(parts: ReadonlyMap<RunPart, string>): number {
  const first = Math.min(...[...parts.keys()].map(toStep));
  return Number.isFinite(first) && first > 1 ? first : 0;
}

const RANKS = ["message", "text", "call"];

function comparePlaces(one: RunPart, other: RunPart): number {
  const [a, b] = [one, other].map((part) => {
    const [step, kind = "", position = "0"] = part.split(" ");
    return [Number(step), RANKS.indexOf(kind), Number(position)] as const;
  });
  if (a === undefined || b === undefined) return 0;
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** The contents of each part, as far as they are loaded. */
function listParts(turns: readonly RunTurn[]): Map<RunPart, string> {
  const parts = new Map<RunPart, string>();
  let last = 0;
  for (const turn of turns) {
    const answer = firstStep(turn) ?? last + 1;
    if (turn.message !== null) {
      parts.set(`${answer} message`, join(readMessageText(turn.message), turn.messageCut?.chars));
    }
    for (const item of turn.items) {
      if (item.kind !== "step") continue;
      const { step, answer: response, failure, calls } = item.step as RunStep;
      last = step;
      if (response !== null || failure !== null) {
        parts.set(`${step} text`, join(response?.text ?? "", response?.textCut?.chars, failure?.error));
      }
      for (const [position, call] of calls.entries()) parts.set(`${step} call ${position}`, describeCall(call));
    }
  }
  return parts;
}

/** The step that begins to answer a turn's message; undefined before there is one. */
export function firstStep({ items }: RunTurn): number | undefined {
  const item = items.find(({ kind }) => kind === "step");
  return item?.kind === "step" ? item.step.step : undefined;
}

function describeCall({ name, argumentsText, argumentsCut, status, result, resultCut }: RunCall): string {
  const { exception, result: text } = result ?? {};
  return join(
    name,
    canonical(argumentsText),
    argumentsCut?.chars,
    status,
    exception?.message ?? text,
    resultCut?.chars,
  );
}

function canonical(text: string): string {
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    return text;
  }
}

function join(...parts: readonly (string | number | undefined)[]): string {
  return JSON.stringify(parts);
}
