import { isPlainObject } from "../../contract/json";
import { equalJson } from "../../json/equal-json";
import { ANNOTATIONS, getHolding } from "../keywords";
import { REFERENCE_KEYWORDS } from "../resolve-ref";

const REFERENCES: ReadonlySet<string> = new Set(REFERENCE_KEYWORDS);
const INTO_ANNOTATION = new RegExp(`/(?:${[...ANNOTATIONS].join("|").replaceAll("$", "\\$")})(?:/|$)`);

/**
 * Whether two schemas say the same but for titles, descriptions and the like. What is nested too deeply is equal to nothing.
 * @param areRoots references of equal documents lead to equal schemas, those of equal parts may not
 */
export function equalSchemas(one: unknown, other: unknown, areRoots = false): boolean {
  try {
    return areEqual(one, other, areRoots);
  } catch {
    return false;
  }
}

function areEqual(one: unknown, other: unknown, areRoots: boolean): boolean {
  if (!isPlainObject(one) || !isPlainObject(other)) return equalJson(one, other);
  const keywords = Object.keys(one).filter((keyword) => !ANNOTATIONS.has(keyword));
  if (keywords.length !== Object.keys(other).filter((keyword) => !ANNOTATIONS.has(keyword)).length) return false;
  return keywords.every((keyword) => {
    if (!Object.hasOwn(other, keyword)) return false;
    const left = one[keyword];
    const right = other[keyword];
    if (REFERENCES.has(keyword)) return areRoots && left === right && !INTO_ANNOTATION.test(String(left));
    const holding = getHolding(keyword, left);
    if (holding === null || holding !== getHolding(keyword, right)) return equalJson(left, right, REFERENCES);
    return holding === "schema" ? areEqual(left, right, areRoots) : areEqualParts(left, right, areRoots);
  });
}

/** Lists of schemas, and maps from names to them. */
function areEqualParts(one: unknown, other: unknown, areRoots: boolean): boolean {
  const left = Object.entries(one as object);
  const right = other as Record<string, unknown>;
  return (
    left.length === Object.keys(right).length &&
    left.every(([name, part]) => Object.hasOwn(right, name) && areEqual(part, right[name], areRoots))
  );
}
