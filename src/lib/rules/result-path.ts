/** A step into a result: a member by its name, an item by its position from 0, or every member or item. */
export type ResultStep = { key: string } | { index: number } | "any";

const STEP =
  /\.([\p{L}\p{N}_$-]+)|\.(\*)|\[(\*)\]|\[(0|[1-9]\d{0,8})\]|\[("(?:[^"\\\n\r]|\\(?:["\\bfnrt/]|u[0-9a-fA-F]{4}))*")\]/uy;

/** Reads `result.items[*].email` or `result["odd key"][0]`; null for another text. */
export function readResultPath(text: string): readonly ResultStep[] | null {
  const typed = text.trim();
  if (!/^result(?:[.[]|$)/.test(typed)) return null;
  const steps: ResultStep[] = [];
  STEP.lastIndex = "result".length;
  while (STEP.lastIndex < typed.length) {
    const found = STEP.exec(typed);
    if (found === null) return null;
    const [, name, every, all, index, quoted] = found;
    if (name !== undefined) steps.push({ key: name });
    else if (every !== undefined || all !== undefined) steps.push("any");
    else if (index !== undefined) steps.push({ index: Number(index) });
    else steps.push({ key: JSON.parse(quoted ?? '""') as string });
  }
  return steps;
}
