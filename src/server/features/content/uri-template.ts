const EXPRESSION = /\{([+#./;?&]?)[^{}]*\}/g;
const MAX_EXPRESSIONS = 50;
/** Operators of RFC 6570 whose values may contain slashes. */
const SPANS_SLASHES = new Set(["+", "#", "/", "?", "&"]);

/**
 * Whether a URI may be an expansion of a template. Decides only which server is asked, so it is approximate where values
 * and literals overlap; one pass over the URI, whatever the template.
 */
export function matchesTemplate(template: string, uri: string): boolean {
  const literals: string[] = [];
  const operators: string[] = [];
  let end = 0;
  for (const { 0: expression, 1: operator = "", index } of template.matchAll(EXPRESSION)) {
    if (operators.length === MAX_EXPRESSIONS) return false;
    literals.push(template.slice(end, index));
    operators.push(operator);
    end = index + expression.length;
  }
  const last = template.slice(end);
  const [first = last] = literals;
  if (operators.length === 0) return uri === template;
  if (!uri.startsWith(first) || !uri.endsWith(last) || uri.length < first.length + last.length) return false;
  let position = first.length;
  for (const [index, operator] of operators.entries()) {
    const isLast = index === operators.length - 1;
    const literal = isLast ? last : (literals[index + 1] as string);
    const next = isLast ? uri.length - last.length : uri.indexOf(literal, position);
    if (next < position) return false;
    if (!SPANS_SLASHES.has(operator) && uri.slice(position, next).includes("/")) return false;
    position = next + literal.length;
  }
  return true;
}
