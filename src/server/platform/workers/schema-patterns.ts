/** Letters that mean something after a backslash in JavaScript; others are other languages' syntax. */
const KNOWN_ESCAPES = new Set("dDwWsSbBnrtfvcxukpP");

/** `broken`: no supported language reads it. */
type ReadPattern = { regExp: RegExp } | { reason: string; broken: boolean };

/**
 * A pattern of a JSON Schema as a regular expression, or why JavaScript cannot evaluate it. Unicode patterns need the u
 * flag; servers also write patterns such as `[\w\-]` that are only valid without it. What other languages write and
 * JavaScript writes differently (`(?P<name>…)`, `\A`, `\z`) is translated.
 */
export function readPattern(pattern: string): ReadPattern {
  const { source, foreign, unicodeOnly } = translate(pattern);
  if (foreign !== null) return { reason: foreign, broken: false };
  try {
    return { regExp: new RegExp(source, "u") };
  } catch {
    if (unicodeOnly) return { reason: "JavaScript does not know one of its escapes", broken: false };
  }
  try {
    return { regExp: new RegExp(source) };
  } catch {
    const syntax = foreignSyntax(pattern);
    return { reason: syntax ?? "it is not a regular expression", broken: syntax === null };
  }
}

function foreignSyntax(pattern: string) {
  if (/\(\?P[<=>]/.test(pattern)) return "Python syntax";
  if (/\(\?[a-zA-Z^-]+[:)]/.test(pattern)) return "inline flags, which not every JavaScript version has";
  if (/\(\?[>|#(]|\(\?\+?\d/.test(pattern) || /[+*?}]\+/.test(pattern)) {
    return "Perl syntax (atomic groups, possessive quantifiers and the like)";
  }
  return null;
}

/**
 * Goes through a pattern once. `foreign` says what JavaScript would read as something else instead of refusing it;
 * `unicodeOnly` that the pattern means something else without the u flag.
 */
function translate(pattern: string) {
  let source = "";
  let inClass = false;
  let unicodeOnly = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    const rest = pattern.slice(at, at + 40);
    if (char === "\\") {
      const escaped = pattern[at + 1] ?? "";
      at += 1;
      if (!inClass && escaped === "A") source += "^";
      else if (!inClass && escaped === "z") source += "$";
      else if (/[a-zA-Z]/.test(escaped) && !KNOWN_ESCAPES.has(escaped)) {
        return { source, foreign: `Python or Perl syntax (\\${escaped})`, unicodeOnly };
      } else {
        unicodeOnly ||= /^\\(?:[pP]|u\{|x(?![0-9a-fA-F]{2}))/.test(rest);
        source += `\\${escaped}`;
      }
      continue;
    }
    if (inClass) {
      if (/^\[:\^?\w+:\]/.test(rest)) return { source, foreign: "Perl syntax (a POSIX class)", unicodeOnly };
      if (char === "]") inClass = false;
      source += char;
      continue;
    }
    if (char === "[") inClass = true;
    const back = /^\(\?P=(\w+)\)/.exec(rest);
    if (back) {
      source += `\\k<${back[1]}>`;
      at += back[0].length - 1;
    } else if (rest.startsWith("(?P<")) {
      source += "(?<";
      at += 3;
    } else source += char;
  }
  return { source, foreign: null, unicodeOnly };
}
