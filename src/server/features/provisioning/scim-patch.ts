import {
  type AttributeForm,
  type Attributes,
  findName,
  type Item,
  isObject,
  type ResourceForm,
  readItem,
  readItems,
  readSimple,
  readValue,
} from "./scim-attributes";
import { badRequest } from "./scim-error";
import { type Condition, parseFilter } from "./scim-filter";

const MAX_OPERATIONS = 1000;
const MAX_PATH_CHARS = 500;
const SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i;
/** Matches paths such as `name.givenName` and `emails[type eq "work"].value`. */
const PATH = /^([A-Za-z][\w$-]*)(?:\[((?:"(?:[^"\\]|\\.)*"|[^\]"])*)\])?(?:\.([A-Za-z$][\w$-]*))?$/;

const OPERATIONS = ["add", "replace", "remove"] as const;
type Operation = (typeof OPERATIONS)[number];

interface Target {
  name: string;
  form: AttributeForm;
  /** Conditions for the items of a list. */
  conditions: Condition[] | null;
  part: string | null;
}

interface Change {
  operation: Operation;
  value: unknown;
}

/** Null for a path of an attribute that is not kept. @throws ScimError for one that is no path */
function parsePath(form: ResourceForm, path: string): Target | null {
  const local = path.replace(SCHEMA, "");
  if (path.length > MAX_PATH_CHARS) throw badRequest("invalidPath", `A path may have ${MAX_PATH_CHARS} characters`);
  // An attribute of an extension.
  if (/^urn:/i.test(local)) return null;
  const found = PATH.exec(local);
  if (found === null) throw badRequest("invalidPath", `'${local.slice(0, 100)}' is no path of an attribute`);
  const [, attribute = "", filter, sub] = found;
  const name = findName(form, attribute);
  const kept = name === null ? undefined : form[name];
  if (name === null || kept === undefined) return null;
  const conditions = filter === undefined ? null : parseFilter(filter);
  const parts = "parts" in kept ? kept.parts : {};
  if ((conditions !== null && kept.kind !== "list") || (sub !== undefined && !("parts" in kept))) {
    throw badRequest("invalidPath", `${name} has no such part`);
  }
  const part = sub === undefined ? null : findName(parts, sub);
  if (sub !== undefined && part === null) return null;
  return { name, form: kept, conditions, part };
}

const fold = (value: string | boolean | undefined): string | boolean | undefined =>
  typeof value === "string" ? value.toLowerCase() : value;

/** Ids of members are of one case, so that comparing texts without theirs is right for all lists. */
const matches = (item: Item, conditions: readonly Condition[]): boolean =>
  conditions.every(({ attribute, value }) => {
    const name = Object.keys(item).find((each) => each.toLowerCase() === attribute.toLowerCase());
    return name !== undefined && fold(item[name]) === fold(value);
  });

/** The item that a filter describes. */
function toItem(parts: Readonly<Record<string, "text" | "flag">>, conditions: readonly Condition[]): Item {
  return readItem(parts, Object.fromEntries(conditions.map(({ attribute, value }) => [attribute, value])), "filter");
}

/** Keeps one primary item: the last changed one that is marked as primary. */
function keepOnePrimary(items: readonly Item[], changed: ReadonlySet<Item>): Item[] {
  const last = items.findLast((item) => item.primary === true && changed.has(item));
  if (last === undefined) return [...items];
  return items.map((item) => (item !== last && item.primary === true ? { ...item, primary: false } : item));
}

function addItems(items: readonly Item[], added: readonly Item[]): Item[] {
  const toKey = (item: Item): string => JSON.stringify([fold(item.value), fold(item.type)]);
  const byKey = new Map(items.map((item) => [toKey(item), item]));
  for (const item of added) byKey.set(toKey(item), { ...byKey.get(toKey(item)), ...item });
  return keepOnePrimary([...byKey.values()], new Set(added.map((item) => byKey.get(toKey(item)) ?? item)));
}

function changeList(
  items: readonly Item[],
  { name, form, conditions, part }: Target & { form: Extract<AttributeForm, { kind: "list" }> },
  { operation, value }: Change,
): Item[] {
  const { parts } = form;
  if (conditions === null && part === null) {
    if (operation === "add") return addItems(items, readItems(parts, value, name));
    if (operation === "replace") return addItems([], readItems(parts, value, name));
    // Entra names the members who leave in the value.
    if (value === undefined || value === null) return [];
    const gone = new Set(readItems(parts, value, name).map((item) => fold(item.value)));
    return items.filter((item) => !gone.has(fold(item.value)));
  }
  const isMeant = (item: Item): boolean => conditions === null || matches(item, conditions);
  if (operation === "remove") {
    if (part === null || part === "value") return items.filter((item) => !isMeant(item));
    return items.map((item) => (isMeant(item) ? omit(item, part) : item));
  }
  const set: Item =
    part === null
      ? readItem(parts, Array.isArray(value) ? value[0] : value, name)
      : { [part]: readSimple(parts[part] ?? "text", value, `${name}.${part}`) };
  const changed = new Set<Item>();
  const next = items.map((item) => {
    if (!isMeant(item)) return item;
    const merged = { ...item, ...set };
    changed.add(merged);
    return merged;
  });
  if (changed.size === 0) {
    // Some providers use replace for the work address of a user who has none yet.
    const created = { ...toItem(parts, conditions ?? []), ...set };
    changed.add(created);
    next.push(created);
  }
  return keepOnePrimary(next, changed);
}

function omit<Value>(object: Readonly<Record<string, Value>>, name: string): Record<string, Value> {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== name));
}

function applyChange(attributes: Attributes, target: Target, change: Change): Attributes {
  const { name, form, part } = target;
  const { operation, value } = change;
  const current = attributes[name];
  if (operation !== "remove" && value === undefined) {
    throw badRequest("invalidValue", `The operation on ${name} has no value`);
  }
  if (form.kind === "list") {
    return { ...attributes, [name]: changeList((current ?? []) as readonly Item[], { ...target, form }, change) };
  }
  const isRemoved = operation === "remove" || value === null;
  if (part === null) {
    if (isRemoved) return omit(attributes, name);
    const read = readValue(form, value, name);
    return { ...attributes, [name]: form.kind === "parts" ? { ...(current as Item), ...(read as Item) } : read };
  }
  const known = (current ?? {}) as Item;
  return {
    ...attributes,
    [name]: isRemoved ? omit(known, part) : { ...known, [part]: readSimple("text", value, name) },
  };
}

/** Reads the operations of a PATCH request. Names and operations are the same in any case. */
function readOperations(body: unknown): { operation: Operation; path: string | null; value: unknown }[] {
  const key = isObject(body) ? findName(body, "operations") : null;
  const sent = isObject(body) && key !== null ? body[key] : undefined;
  if (!Array.isArray(sent)) throw badRequest("invalidSyntax", "Operations: must be a list");
  if (sent.length > MAX_OPERATIONS) throw badRequest("tooMany", `Operations: may be ${MAX_OPERATIONS} in a request`);
  return sent.map((each: unknown) => {
    if (!isObject(each)) throw badRequest("invalidSyntax", "Operations: each must be an object");
    const read = (name: string): unknown => each[findName(each, name) ?? ""];
    const op = read("op");
    const path = read("path");
    const operation = OPERATIONS.find((name) => typeof op === "string" && name === op.toLowerCase());
    if (operation === undefined) throw badRequest("invalidSyntax", "op: must be add, replace or remove");
    if (path !== undefined && path !== null && typeof path !== "string") {
      throw badRequest("invalidPath", "path: must be a text");
    }
    return { operation, path: path ?? null, value: read("value") };
  });
}

/**
 * Applies a PATCH request (RFC 7644, section 3.5.2) as Okta and Entra send it.
 * @returns the attributes after it @throws ScimError before anything is changed
 */
export function applyPatch(form: ResourceForm, attributes: Attributes, body: unknown): Attributes {
  let next = attributes;
  for (const { operation, path, value } of readOperations(body)) {
    if (path === null || path === "") {
      if (operation === "remove") throw badRequest("noTarget", "remove needs a path");
      if (!isObject(value))
        throw badRequest("invalidValue", "An operation without a path needs an object as its value");
      for (const [key, each] of Object.entries(value)) {
        // Ids and the like come along.
        const target = parsePath(form, key);
        if (target !== null) next = applyChange(next, target, { operation, value: each });
      }
      continue;
    }
    const target = parsePath(form, path);
    if (target !== null) next = applyChange(next, target, { operation, value });
  }
  return next;
}
