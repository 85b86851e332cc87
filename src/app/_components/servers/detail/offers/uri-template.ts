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

/** `path*` and `path:3` name the variable `path`; their other effects need lists, which this form does not take. */
function namesOf(list: string): string[] {
  return list.split(",").map((spec) => spec.trim().replace(/\*$|:\d+$/, ""));
}

/** The variables of a URI template, each once, in order. */
export function templateVariables(template: string): string[] {
  const names = [...template.matchAll(EXPRESSION)].flatMap(([, , list]) => namesOf(list ?? ""));
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
    const parts = namesOf(list).flatMap((name) => {
      const value = values.get(name);
      if (value === undefined || value === "") return [];
      const text = reserved ? encodeURI(value.toWellFormed()) : encodeStrictly(value.toWellFormed());
      return [named ? `${name}=${text}` : text];
    });
    return parts.length === 0 ? "" : first + parts.join(between);
  });
}

/** Everything but the unreserved characters. */
function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
