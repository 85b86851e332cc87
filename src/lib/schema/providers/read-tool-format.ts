import { isPlainObject } from "../../contract/json";
import { getHolding } from "../keywords";
import { mapSchemas } from "../walk-schemas";

/** A tool as another product's API or protocol describes it. */
export interface ForeignTool {
  /** The recognized format: "OpenAI tool". */
  format: string;
  name: string;
  description: string;
  /** Keys to take over beside them: `title`, `annotations`, `outputSchema`. */
  extra: Record<string, unknown>;
  /** The place of the parameters in the text; null where they are not a JSON Schema as written, or missing. */
  path: (string | number)[] | null;
  parameters: Record<string, unknown>;
  /** Keys that have no counterpart. */
  dropped: string[];
  /** The number of further tools in the text. */
  others: number;
}

interface Shape {
  format: string;
  /** The place of the schema. */
  schemaKeys: readonly string[];
  matches: (tool: Record<string, unknown>) => boolean;
}

const isOwn = (tool: Record<string, unknown>) =>
  Object.hasOwn(tool, "implementation") || Object.hasOwn(tool, "handler");
const GEMINI_KEYS = ["parameters", "parametersJsonSchema", "parameters_json_schema"];

/** The first matching shape counts. */
const SHAPES: readonly Shape[] = [
  { format: "MCP tool", schemaKeys: ["inputSchema"], matches: (tool) => isPlainObject(tool.inputSchema) },
  { format: "Anthropic tool", schemaKeys: ["input_schema"], matches: (tool) => isPlainObject(tool.input_schema) },
  {
    format: "Gemini function declaration",
    schemaKeys: GEMINI_KEYS,
    matches: (tool) =>
      GEMINI_KEYS.slice(1).some((key) => isPlainObject(tool[key])) ||
      (isPlainObject(tool.parameters) && isGeminiSchema(tool.parameters)),
  },
  {
    format: "OpenAI tool",
    schemaKeys: ["parameters"],
    matches: (tool) => tool.type === "function" || isPlainObject(tool.parameters),
  },
];

/** Keys of an MCP tool that a definition has too. */
const SHARED_KEYS = ["title", "annotations", "outputSchema"];
/** Keys without a separate meaning. */
const SILENT_KEYS = ["type", "name", "description"];

/** Recognizes the first tool in what OpenAI, Ollama, Anthropic, Gemini and MCP take or list; null for anything else. */
export function readToolFormat(value: unknown): ForeignTool | null {
  const found = findTools(value, [], 0);
  const [first] = found;
  if (first === undefined) return null;
  const tool = readTool(first);
  return tool === null ? null : { ...tool, others: found.length - 1 };
}

interface FoundTool {
  value: Record<string, unknown>;
  path: (string | number)[];
  /** The format's name comes from the wrapper of the tool. */
  format: string | null;
}

const MAX_WRAPPERS = 4;

/** The tools of a list, of a request's `tools`, or of an answer to `tools/list`; or the value as the only one. */
function findTools(
  value: unknown,
  path: (string | number)[],
  depth: number,
  format: string | null = null,
): FoundTool[] {
  if (depth > MAX_WRAPPERS) return [];
  const below = (key: string | number, part: unknown, of = format) => findTools(part, [...path, key], depth + 1, of);
  if (Array.isArray(value)) return value.flatMap((item, at) => below(at, item));
  if (!isPlainObject(value)) return [];
  for (const key of ["functionDeclarations", "function_declarations"]) {
    if (Array.isArray(value[key])) return below(key, value[key], "Gemini function declaration");
  }
  if (value.type === "function" && isPlainObject(value.function))
    return below("function", value.function, "OpenAI tool");
  if (typeof value.name === "string") return [{ value, path, format }];
  if (Array.isArray(value.tools)) return below("tools", value.tools);
  if (isPlainObject(value.result)) return below("result", value.result);
  return [];
}

function readTool({ value, path, format }: FoundTool): Omit<ForeignTool, "others"> | null {
  if (isOwn(value)) return null;
  const shape = SHAPES.find(({ matches }) => matches(value));
  if (shape === undefined && format === null) return null;
  const schemaKey = (shape?.schemaKeys ?? GEMINI_KEYS).find((key) => isPlainObject(value[key]));
  const written = schemaKey === undefined ? undefined : value[schemaKey];
  const schema = isPlainObject(written) ? written : { type: "object", properties: {} };
  const gemini = isGeminiSchema(schema);
  const shared = shape?.format === "MCP tool" ? SHARED_KEYS : [];
  const extra = Object.entries(value).filter(([key, part]) => shared.includes(key) && part !== null);
  const known = new Set([...SILENT_KEYS, ...shared, schemaKey]);
  return {
    format: format ?? shape?.format ?? "tool",
    name: String(value.name),
    description: typeof value.description === "string" ? value.description : "",
    extra: Object.fromEntries(extra),
    path: schemaKey === undefined || gemini ? null : [...path, schemaKey],
    parameters: gemini ? fromGeminiSchema(schema) : schema,
    dropped: Object.keys(value).filter((key) => !known.has(key)),
  };
}

const TYPES = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];
const isGeminiType = (type: unknown): type is string => typeof type === "string" && TYPES.includes(type);

/** Deeper schemas stay unchanged. */
const MAX_DEPTH = 64;

/** Whether a schema is written in Gemini's own dialect, whose types are in capitals. */
const isGeminiSchema = (schema: Record<string, unknown>): boolean => isGeminiType(schema.type);

/** The JSON Schema of one in Gemini's dialect: types in small letters, `nullable` as a type, no `propertyOrdering`. */
function fromGeminiSchema(schema: Record<string, unknown>, depth = 0): Record<string, unknown> {
  if (depth > MAX_DEPTH) return schema;
  const convert = (part: unknown): unknown => (isPlainObject(part) ? fromGeminiSchema(part, depth + 1) : part);
  const entries = Object.entries(schema).flatMap(([key, part]): [string, unknown][] => {
    if (key === "propertyOrdering" || key === "nullable") return [];
    if (key === "type" && isGeminiType(part)) {
      const type = part.toLowerCase();
      return [[key, schema.nullable === true ? [type, "null"] : type]];
    }
    // Gemini writes these numbers as text, as Protocol Buffers do with 64 bits.
    if (/^(?:min|max)(?:Items|Length|Properties)$/.test(key) && typeof part === "string" && /^\d{1,15}$/.test(part)) {
      return [[key, Number(part)]];
    }
    return [[key, getHolding(key, part) === null ? part : mapSchemas(key, part, convert)]];
  });
  return Object.fromEntries(entries);
}
