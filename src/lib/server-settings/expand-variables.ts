/** One piece of a setting's text: literal words, or one `${…}`. */
type Piece =
  | { literal: string }
  | {
      /** The name of the variable; null for a form that is not one, such as `${input:token}`. */
      variable: string | null;
      /** The text between the braces. */
      inside: string;
      fallback: string | null;
    };

/** Names may have parentheses, as on Windows: `ProgramFiles(x86)`. */
const VARIABLE_FORM = /^(?:env:)?([A-Za-z_][A-Za-z0-9_()]*)(?::-(.*))?$/s;

/** `${` without an end, and `${}`, are words. Braces do not nest: the first `}` ends a reference. */
function splitPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < text.length) {
    const start = text.indexOf("${", at);
    const end = start === -1 ? -1 : text.indexOf("}", start + 2);
    if (end === -1) break;
    const inside = text.slice(start + 2, end);
    if (start > at) pieces.push({ literal: text.slice(at, start) });
    if (inside === "") pieces.push({ literal: text.slice(start, end + 1) });
    else {
      const known = VARIABLE_FORM.exec(inside);
      pieces.push({ variable: known?.[1] ?? null, inside, fallback: known?.[2] ?? null });
    }
    at = end + 1;
  }
  if (at < text.length) pieces.push({ literal: text.slice(at) });
  return pieces;
}

/**
 * Puts variables into a setting's text: `${VAR}`, `${VAR:-default}` (taken where the variable is unset or empty), and
 * `${env:VAR}` as some editors write it. What a variable or a default holds is not expanded again.
 * @returns `missing` names what could not be filled in, each once: unset variables, and the whole inside of forms that only
 * another program knows (`input:token`). Their text is left as it was, so the result must not be used.
 */
export function expandVariables(
  text: string,
  variables: Readonly<Record<string, string | undefined>>,
): { text: string; missing: string[] } {
  const missing = new Set<string>();
  const filled = splitPieces(text).map((piece) => {
    if ("literal" in piece) return piece.literal;
    const { variable, inside, fallback } = piece;
    const value = variable !== null && Object.hasOwn(variables, variable) ? variables[variable] : undefined;
    if (fallback !== null && (value === undefined || value === "")) return fallback;
    if (value !== undefined) return value;
    missing.add(variable ?? inside);
    return `\${${inside}}`;
  });
  return { text: filled.join(""), missing: [...missing] };
}

/**
 * Whether a text tells nothing but names of variables, so that it may be shown although its place may hold a secret.
 * A default is literal text, and so is a form that is no variable: both make it false, and so does no text at all.
 */
export function isOnlyReferences(text: string): boolean {
  const pieces = splitPieces(text);
  return (
    pieces.length > 0 &&
    pieces.every((piece) => !("literal" in piece) && piece.variable !== null && piece.fallback === null)
  );
}

/** The variables that a text names, each once, in order; those with a default are among them. */
export function referencedVariables(text: string): string[] {
  const names = splitPieces(text).flatMap((piece) =>
    "literal" in piece || piece.variable === null ? [] : [piece.variable],
  );
  return [...new Set(names)];
}
