import { isPlainObject } from "../../../../lib/contract/json";

const KEY = "x-mcp-header";
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = ["string", "integer", "boolean"];
/** Keywords that hold values, not schemas. */
const VALUES = ["default", "examples", "enum", "const", KEY];
const MAX_DEPTH = 64;

export interface HeaderDeclarations {
  /** Whether calls repeat arguments in headers. */
  declared: boolean;
  problem: string | null;
}

/**
 * Checks a tool's `x-mcp-header` declarations (2026-07-28 over HTTP): each names a header, once, on a property of a simple
 * type that is reached through `properties` alone.
 */
export function checkHeaderDeclarations(inputSchema: Record<string, unknown>): HeaderDeclarations {
  const names = new Set<string>();
  const problem = visit(inputSchema, { path: "", depth: 0, isProperty: false, viaProperties: true }, names);
  return { declared: names.size > 0, problem };
}

interface SchemaLocation {
  path: string;
  depth: number;
  isProperty: boolean;
  /** Reached through `properties` alone. */
  viaProperties: boolean;
}

function visit(schema: unknown, location: SchemaLocation, names: Set<string>): string | null {
  if (typeof schema !== "object" || schema === null) return null;
  if (location.depth > MAX_DEPTH) return `the schema of '${location.path}' is too deep`;
  const own = Object.hasOwn(schema, KEY)
    ? findDeclarationProblem(schema as Record<string, unknown>, location, names)
    : null;
  if (own !== null) return own;
  for (const [keyword, value] of Object.entries(schema)) {
    if (VALUES.includes(keyword)) continue;
    const problem =
      keyword === "properties" && isPlainObject(value)
        ? visitProperties(value, location, names)
        : visit(
            value,
            {
              path: `${location.path}<${keyword}>`,
              depth: location.depth + 1,
              isProperty: false,
              viaProperties: false,
            },
            names,
          );
    if (problem !== null) return problem;
  }
  return null;
}

function visitProperties(
  properties: Record<string, unknown>,
  location: SchemaLocation,
  names: Set<string>,
): string | null {
  for (const [name, schema] of Object.entries(properties)) {
    const path = location.path === "" ? name : `${location.path}.${name}`;
    const problem = visit(
      schema,
      { path, depth: location.depth + 1, isProperty: true, viaProperties: location.viaProperties },
      names,
    );
    if (problem !== null) return problem;
  }
  return null;
}

function findDeclarationProblem(
  schema: Record<string, unknown>,
  location: SchemaLocation,
  names: Set<string>,
): string | null {
  const name = schema[KEY];
  const where = `${KEY} of '${location.path}'`;
  if (!location.isProperty || !location.viaProperties) return `${where} is not reached through 'properties' alone`;
  if (typeof name !== "string" || !HEADER_NAME.test(name)) return `${where} is not a valid header name`;
  if (typeof schema.type !== "string" || !TYPES.includes(schema.type))
    return `${where} is not on a string, integer or boolean`;
  if (names.has(name.toLowerCase())) return `${where} names the header '${name}' a second time`;
  names.add(name.toLowerCase());
  return null;
}
