/** How an expression of RFC 6570 is written out, by its operator. */
const OPERATORS: Record<string, { first: string; between: string; named: boolean; reserved: boolean }> = {
  "": { first: "", between: ",", named: false, reserved: false },
  "+": { first: "", between: ",", named: false, reserved: true },
  "#": { first: "#", between: ",", named: false, reserved: true },
  ".": { first: ".", between: ".", named: false, reserved: false },
  "/": { first: "/", between: "/", named: false, reserved: false },
  ";": { first: ";", between: ";", named: true, reserved: false },
  "?": { first: "?", between: "&", named: true, reserved: false },
  "&": { first: "&", between: "&", named: true, reserved: false },
};
const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g;
const MAX_EXPRESSIONS = 50;
/** Operators of RFC 6570 whose values may contain slashes. */
const SPANS_SLASHES = new Set(["+", "#", "/", "?", "&"]);

/** `path*` and `path:3` name the variable `path`; their other effects need lists, which this form does not take. */
function listNames(list: string): string[] {
  return list.split(",").map((spec) => spec.trim().replace(/\*$|:\d+$/, ""));
}

/** The variables of a URI template, each once, in order. */
export function templateVariables(template: string): string[] {
  const names = [...template.matchAll(EXPRESSION)].flatMap(([, , list]) => listNames(list ?? ""));
  return [...new Set(names)].filter((name) => name !== "");
}

/** A URI template with its variables filled in; one without a value is left out, as RFC 6570 says of undefined ones. */
export function expandTemplate(template: string, values: ReadonlyMap<string, string>): string {
  return template.replace(EXPRESSION, (_whole, operator: string, list: string) => {
    const { first, between, named, reserved } = OPERATORS[operator] ?? {
      first: "",
      between: ",",
      named: false,
      reserved: false,
    };
    const parts = listNames(list).flatMap((name) => {
      const value = values.get(name);
      if (value === undefined || value === "") return [];
      const text = reserved ? encodeURI(value.toWellFormed()) : encodeStrictly(value.toWellFormed());
      return [named ? `${name}=${text}` : text];
    });
    return parts.length === 0 ? "" : first + parts.join(between);
  });
}

/** Encodes everything except the unreserved characters. */
function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Whether a URI may be an expansion of a template. Decides only which server is asked, so it is approximate where
 * values and literals overlap; one pass over the URI for any template.
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
