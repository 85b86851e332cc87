import { badRequest } from "./scim-error";

const MAX_CHARS = 1000;
/** `userName eq "x"`, `emails[type eq "work"].value eq "x"`, `primary eq true`. */
const CONDITION =
  /^\s*([\w$.:-]{1,200})(?:\[[^\]"]{0,50}"[^"]{0,50}"\]\.([\w$-]{1,50}))?\s+eq\s+("(?:[^"\\]|\\.)*"|true|false)\s*(?:and\s+|$)/i;

export interface Condition {
  /** The attribute as it was sent, without the name of the schema and without its own filter: `emails.value`. */
  attribute: string;
  value: string | boolean;
}

/** Reads conditions with `eq` that are joined by `and`. @throws ScimError for another filter */
export function parseFilter(text: string): Condition[] {
  const conditions: Condition[] = [];
  let rest = text.length > MAX_CHARS ? "" : text;
  while (rest.trim() !== "") {
    const found = CONDITION.exec(rest);
    if (found === null) break;
    const [all, name = "", part, value = ""] = found;
    const attribute = name.replace(/^urn:[\w:.]*:(?=[A-Za-z])/i, "");
    conditions.push({ attribute: part === undefined ? attribute : `${attribute}.${part}`, value: readLiteral(value) });
    rest = rest.slice(all.length);
    if (conditions.length > 5) break;
  }
  if (conditions.length > 0 && rest.trim() === "") return conditions;
  throw badRequest("invalidFilter", 'Filters compare with eq, joined by and: userName eq "ada@example.com"');
}

function readLiteral(text: string): string | boolean {
  if (!text.startsWith('"')) return text.toLowerCase() === "true";
  try {
    return JSON.parse(text) as string;
  } catch {
    throw badRequest("invalidFilter", "A text in the filter is no JSON string");
  }
}
