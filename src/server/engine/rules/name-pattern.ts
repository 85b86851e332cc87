export type NameMatcher = (name: string) => boolean;

/** A name, or a pattern with `*` for any characters. Without backtracking: its cost is linear in the name. */
function compilePattern(pattern: string): NameMatcher {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return (name) => name === pattern;
  return (name) => {
    if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
    let at = first.length;
    const end = name.length - last.length;
    for (const part of rest) {
      const found = name.indexOf(part, at);
      if (found < 0 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
}

/** Null for an empty list, which is no limit. */
export function compilePatterns(patterns: readonly string[]): NameMatcher | null {
  if (patterns.length === 0) return null;
  const names = new Set(patterns.filter((pattern) => !pattern.includes("*")));
  const others = patterns.filter((pattern) => pattern.includes("*")).map(compilePattern);
  return (name) => names.has(name) || others.some((matches) => matches(name));
}
