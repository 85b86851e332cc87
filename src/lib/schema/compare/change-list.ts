import type { ChangeSide } from "../../contract/change-verdict";
import { CHANGE_WEIGHTS, type ChangeWeight } from "../../contract/change-weight";

/** Further sentences about one tool are only counted. */
const MAX_DETAILS = 50;
const MAX_NAME_CHARS = 80;

/** One recognized change. */
export interface Change {
  weight: ChangeWeight;
  sentence: string;
  side: ChangeSide;
  /** The rule's id in `change-rules.ts`. */
  rule: string;
  /** The part of the value; "" for the whole. */
  path: string;
}

/** The changes of one tool, as sentences and by rule. */
export class ChangeList {
  /** Changes by weight and sentence: a repeated sentence counts once. */
  #all = new Map<ChangeWeight, Map<string, Change>>(CHANGE_WEIGHTS.map((weight) => [weight, new Map()]));

  /** @param rule the rule's id; the side stands before the dot */
  add(weight: ChangeWeight, sentence: string, rule: string, path = ""): void {
    const side = rule.slice(0, rule.indexOf(".")) as ChangeSide;
    const known = this.#all.get(weight);
    if (!known?.has(sentence)) known?.set(sentence, { weight, sentence, side, rule, path });
  }

  addAll(other: ChangeList): void {
    for (const { weight, sentence, rule, path } of other.list()) this.add(weight, sentence, rule, path);
  }

  /** The strongest weight; null when nothing changed. */
  get strongest(): ChangeWeight | null {
    return CHANGE_WEIGHTS.find((weight) => this.#all.get(weight)?.size) ?? null;
  }

  /** The strongest first. */
  list(): Change[] {
    return CHANGE_WEIGHTS.flatMap((weight) => [...(this.#all.get(weight)?.values() ?? [])]);
  }

  /** The strongest first. */
  sentences(): string[] {
    const all = this.list().map(({ sentence }) => sentence);
    if (all.length <= MAX_DETAILS) return all;
    return [...all.slice(0, MAX_DETAILS), `and ${all.length - MAX_DETAILS} more changes`];
  }
}

/** `filter.path`, `items[].price`; names that would be misread stand in brackets. */
export function joinPath(path: string, name: string): string {
  const shown = shorten(name);
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(shown)) return `${path}[${JSON.stringify(shown)}]`;
  return path === "" ? shown : `${path}.${shown}`;
}

/** Cuts names and values, since they come from servers. */
export function shorten(text: string): string {
  return text.length <= MAX_NAME_CHARS ? text : `${text.slice(0, MAX_NAME_CHARS)}…`;
}
