import { CHANGE_WEIGHTS, type ChangeWeight } from "../../contract/tool-version";

/** More sentences than this about one tool are counted, not told. */
const MAX_DETAILS = 50;
const MAX_NAME_CHARS = 80;

/** The changes of one tool, as sentences. */
export class ChangeList {
  #byWeight = new Map<ChangeWeight, Set<string>>(CHANGE_WEIGHTS.map((weight) => [weight, new Set()]));

  add(weight: ChangeWeight, sentence: string): void {
    this.#byWeight.get(weight)?.add(sentence);
  }

  /** The weight of the strongest; null when nothing changed. */
  get strongest(): ChangeWeight | null {
    return CHANGE_WEIGHTS.find((weight) => this.#byWeight.get(weight)?.size) ?? null;
  }

  /** The strongest first. */
  sentences(): string[] {
    const all = CHANGE_WEIGHTS.flatMap((weight) => [...(this.#byWeight.get(weight) ?? [])]);
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

/** Names and values come from servers: they are cut. */
export function shorten(text: string): string {
  return text.length <= MAX_NAME_CHARS ? text : `${text.slice(0, MAX_NAME_CHARS)}…`;
}
