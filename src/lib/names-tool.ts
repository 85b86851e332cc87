/** Splits a name into words: `getOrder`, `get_order` and `get order` are equal. */
function toWords(text: string): string[] {
  const spaced = text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2").toLowerCase();
  return spaced.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
}

/** A name of so many words stands in a question by chance only when the user knows it. */
const SPOKEN_WORDS = 3;

/**
 * Returns the tool that a question names, so that choosing it is no test; null where it names none. `get_order` is named,
 * "get the order" is not. A name of one word is named in quotes, or after "tool", "use" or "call".
 */
export function findNamedTool(question: string, names: readonly string[]): string | null {
  const lower = question.toLowerCase();
  const spoken = ` ${toWords(question).join(" ")} `;
  return names.find((name) => isNamed(name, lower, spoken)) ?? null;
}

function isNamed(name: string, question: string, spoken: string): boolean {
  const own = name.slice(name.indexOf("__") + 1).replace(/^_/, "");
  const words = toWords(own);
  if (words.length === 0) return false;
  if (words.length >= SPOKEN_WORDS && spoken.includes(` ${words.join(" ")} `)) return true;
  const escaped = own.toLowerCase().replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  if (words.length === 1) {
    return new RegExp(`[\`'"]${escaped}[\`'"]|\\b(?:tool|use|call)\\s+${escaped}\\b|\\b${escaped}\\s+tool\\b`).test(
      question,
    );
  }
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, "u").test(question);
}
