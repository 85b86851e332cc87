import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import { findReference, ownList, ownMap, readItems } from "../../../lib/schema/resolve-ref";

/** Schemas that one part of a value may be described by. */
const MAX_SCHEMAS = 100;
/** The number of checked parts of one value; the rest counts as described. */
const MAX_PARTS = 5_000;
const MAX_FOUND = 20;

type Schemas = readonly JsonSchema[];

/** The property names that a schema describes, in any branch or reference. */
class Description {
  readonly #root: JsonSchema;
  readonly #members = new Map<JsonSchema, Schemas>();

  constructor(readonly schema: JsonSchema) {
    this.#root = schema;
  }

  /** A schema with all that it refers to and is made of. */
  expand(schemas: Schemas): Schemas {
    if (schemas.length === 1 && schemas[0] !== undefined) {
      const known = this.#members.get(schemas[0]);
      if (known !== undefined) return known;
    }
    const found = new Set<JsonSchema>();
    const pending: unknown[] = [...schemas];
    while (pending.length > 0 && found.size < MAX_SCHEMAS) {
      const schema = pending.pop();
      if (!isPlainObject(schema) || found.has(schema)) continue;
      found.add(schema);
      pending.push(findReference(schema, this.#root)?.target);
      for (const keyword of ["allOf", "anyOf", "oneOf"]) pending.push(...ownList(schema, keyword));
      pending.push(schema.then, schema.else, ...Object.values(ownMap(schema, "dependentSchemas")));
    }
    const expanded = [...found];
    if (schemas.length === 1 && schemas[0] !== undefined) this.#members.set(schemas[0], expanded);
    return expanded;
  }

  /** The schemas of a property by its name; null where no part names it. */
  named(schemas: Schemas, key: string): Schemas | null {
    const found: JsonSchema[] = [];
    let isNamed = false;
    for (const schema of schemas) {
      const properties = ownMap(schema, "properties");
      if (!Object.hasOwn(properties, key)) continue;
      isNamed = true;
      if (isPlainObject(properties[key])) found.push(properties[key]);
    }
    return isNamed ? found : null;
  }

  /** The schemas of a property that a pattern or the schema of further properties describes; null for neither. */
  unnamed(schemas: Schemas): Schemas | null {
    const found = schemas.flatMap((schema) => [
      ...Object.values(ownMap(schema, "patternProperties")),
      ...(isPlainObject(schema.additionalProperties) ? [schema.additionalProperties] : []),
    ]);
    return found.length === 0 ? null : found.filter(isPlainObject);
  }

  items(schemas: Schemas): Schemas {
    return schemas.flatMap((schema) => {
      const { prefix, rest } = readItems(schema);
      return [...prefix, rest].filter(isPlainObject);
    });
  }
}

/**
 * Finds the parts of values that one schema describes by name and another no longer describes: parts that clients
 * receive or send, and that the other version does not know. A schema that is not an object describes nothing.
 */
export function createLossFinder(before: unknown, after: unknown): ((value: unknown) => string[]) | null {
  if (!isPlainObject(before)) return null;
  const was = new Description(before);
  const is = new Description(isPlainObject(after) ? after : {});
  return (value) => {
    const found = new Set<string>();
    let left = MAX_PARTS;
    const pending: [value: unknown, path: string, was: Schemas, is: Schemas][] = [
      [value, "", was.expand([was.schema]), is.expand([is.schema])],
    ];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const [part, path, former, present] = next;
      if (former.length === 0 || found.size >= MAX_FOUND) continue;
      if (Array.isArray(part)) {
        const formerItems = was.expand(was.items(former));
        const presentItems = is.expand(is.items(present));
        for (const item of part) {
          if (left-- <= 0) break;
          pending.push([item, `${path}[]`, formerItems, presentItems]);
        }
      } else if (isPlainObject(part)) {
        for (const [key, member] of Object.entries(part)) {
          if (left-- <= 0) break;
          const named = was.named(former, key);
          const known = is.named(present, key) ?? is.unnamed(present);
          const memberPath = named === null ? `${path}.*` : path === "" ? key : `${path}.${key}`;
          if (named !== null && known === null) found.add(memberPath);
          else if (known !== null) {
            pending.push([member, memberPath, was.expand(named ?? was.unnamed(former) ?? []), is.expand(known)]);
          }
        }
      }
    }
    return [...found];
  };
}
