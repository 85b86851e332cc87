import { z } from "zod";
import { appRouter } from "./root";

/** The part of JSON Schema that inputs of procedures and routes use. */
export interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  enum?: unknown[];
  const?: unknown;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minItems?: number;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

export interface Filling {
  /** The value of a text. @param at its path: `/filter/tool/0` */
  text(at: string): unknown;
  /** Whether an optional property is there. */
  keeps?(at: string): boolean;
  /** The value of a number; absent: the least. */
  number?(at: string, schema: Schema): unknown;
}

const MAX_LEVELS = 8;

/** A value that fits the schema, with texts and numbers as they are chosen. */
export function fillSchema(schema: Schema, filling: Filling, at = ""): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  const withText = choices?.find(({ type }) => type === "string" || type === "array" || type === "object");
  if (choices !== undefined) return fillSchema(withText ?? choices[0] ?? {}, filling, at);
  if (at.split("/").length > MAX_LEVELS) return null;
  switch (schema.type) {
    case "object": {
      const wanted = Object.entries(schema.properties ?? {}).filter(
        ([name]) => schema.required?.includes(name) || filling.keeps?.(`${at}/${name}`) !== false,
      );
      return Object.fromEntries(wanted.map(([name, each]) => [name, fillSchema(each, filling, `${at}/${name}`)]));
    }
    case "array":
      return [fillSchema(schema.items ?? {}, filling, `${at}/0`)];
    case "number":
    case "integer":
      return filling.number?.(at, schema) ?? Math.max(schema.minimum ?? 1, 1);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return filling.text(at);
  }
}

const schemas = new WeakMap<z.ZodType, Schema>();

export function toSchema(type: z.ZodType | undefined): Schema {
  if (type === undefined) return {};
  const known = schemas.get(type);
  if (known !== undefined) return known;
  const schema = z.toJSONSchema(type, { io: "input", unrepresentable: "any" }) as Schema;
  schemas.set(type, schema);
  return schema;
}

/** Each input once: schemas without optional properties, numbers or texts are filled alike by several fillings. */
export function* listDistinct(inputs: Iterable<unknown>): Generator<unknown> {
  const seen = new Set<string | undefined>();
  for (const input of inputs) {
    const text = JSON.stringify(input);
    if (seen.has(text)) continue;
    seen.add(text);
    yield input;
  }
}

export interface Procedure {
  _def: { type: "query" | "mutation" | "subscription"; inputs: z.ZodType[] };
}

/** Every procedure, by its path. */
export const PROCEDURES = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>);
