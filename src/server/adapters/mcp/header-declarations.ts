import { isPlainObject } from "../../../lib/contract/json";

const KEY = "x-mcp-header";
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = ["string", "integer", "boolean"];
/** Below these there are values, not schemas. */
const VALUES = ["default", "examples", "enum", "const", KEY];
/** A schema may be as deep as a message is long. */
const MAX_DEPTH = 64;

export interface HeaderCheck {
  /** Whether arguments of the tool have to be repeated in headers. */
  declared: boolean;
  /** What is wrong with the declarations. */
  fault: string | null;
}

/**
 * Looks at the `x-mcp-header` declarations of a tool (2026-07-28 over HTTP): each names a header, once, on a property of a
 * simple type that is reached through `properties` alone.
 */
export function checkHeaderDeclarations(inputSchema: Record<string, unknown>): HeaderCheck {
  const names = new Set<string>();
  const fault = visit(inputSchema, { path: "", depth: 0, isProperty: false, onTheWay: true }, names);
  return { declared: names.size > 0, fault };
}

interface Place {
  path: string;
  depth: number;
  isProperty: boolean;
  /** Only `properties` led here. */
  onTheWay: boolean;
}

function visit(schema: unknown, place: Place, names: Set<string>): string | null {
  if (typeof schema !== "object" || schema === null) return null;
  if (place.depth > MAX_DEPTH) return `the schema of '${place.path}' is too deep`;
  const own = Object.hasOwn(schema, KEY) ? declarationFault(schema as Record<string, unknown>, place, names) : null;
  if (own !== null) return own;
  for (const [keyword, value] of Object.entries(schema)) {
    if (VALUES.includes(keyword)) continue;
    const fault =
      keyword === "properties" && isPlainObject(value)
        ? visitProperties(value, place, names)
        : visit(
            value,
            { path: `${place.path}<${keyword}>`, depth: place.depth + 1, isProperty: false, onTheWay: false },
            names,
          );
    if (fault !== null) return fault;
  }
  return null;
}

function visitProperties(properties: Record<string, unknown>, place: Place, names: Set<string>): string | null {
  for (const [name, schema] of Object.entries(properties)) {
    const path = place.path === "" ? name : `${place.path}.${name}`;
    const fault = visit(schema, { path, depth: place.depth + 1, isProperty: true, onTheWay: place.onTheWay }, names);
    if (fault !== null) return fault;
  }
  return null;
}

function declarationFault(schema: Record<string, unknown>, place: Place, names: Set<string>): string | null {
  const name = schema[KEY];
  const where = `${KEY} of '${place.path}'`;
  if (!place.isProperty || !place.onTheWay) return `${where} is not reached through 'properties' alone`;
  if (typeof name !== "string" || !HEADER_NAME.test(name)) return `${where} is no name of a header`;
  if (typeof schema.type !== "string" || !TYPES.includes(schema.type))
    return `${where} is on no string, integer or boolean`;
  if (names.has(name.toLowerCase())) return `${where} names the header '${name}' a second time`;
  names.add(name.toLowerCase());
  return null;
}
