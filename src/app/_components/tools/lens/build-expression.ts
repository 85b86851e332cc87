import { isPlainObject } from "@/lib/contract/json";

/** What a preset can choose from, read from one result. */
export interface DataShape {
  /** Path of the list that it is about; null where the data has none. `""` for data that is a list. */
  list: string | null;
  /** Paths of its items' fields, or of the data's own: `user.login`. */
  fields: string[];
}

const MAX_FIELDS = 60;
const SAMPLED_ITEMS = 5;

/** The longest list in the data, at its top or one or two levels down, and the fields of its items. */
export function readShape(data: unknown): DataShape {
  const list = findLists(data, "", 0).sort((one, other) => other.items.length - one.items.length)[0];
  const items = list === undefined ? [data] : list.items.slice(0, SAMPLED_ITEMS);
  const fields = new Set(items.flatMap((item) => fieldsOf(item, "", 0)));
  return { list: list?.path ?? null, fields: [...fields].slice(0, MAX_FIELDS) };
}

/** @param first how many items of the list; null for all */
export function buildExpression({ list }: DataShape, fields: readonly string[], first: number | null): string {
  // `user.login` becomes the key `user_login`.
  const chosen = fields.map((path) => `${toIdentifier(path.replaceAll('"', "").replaceAll(".", "_"))}: ${path}`);
  const pick = chosen.length === 0 ? "" : `{${chosen.join(", ")}}`;
  if (list === null) return pick === "" ? "@" : pick;
  const slice = first === null ? "[*]" : `[:${first}]`;
  const items = first === null && pick === "" ? list || "@" : `${list}${slice}`;
  return pick === "" ? items : `${items}.${pick}`;
}

function findLists(value: unknown, path: string, depth: number): { path: string; items: unknown[] }[] {
  if (Array.isArray(value)) return value.some(isPlainObject) || depth === 0 ? [{ path, items: value }] : [];
  if (!isPlainObject(value) || depth > 2) return [];
  return Object.entries(value).flatMap(([key, part]) => findLists(part, join(path, key), depth + 1));
}

function fieldsOf(value: unknown, path: string, depth: number): string[] {
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const own = join(path, key);
    if (isPlainObject(part) && depth === 0) return fieldsOf(part, own, depth + 1);
    return [own];
  });
}

const join = (path: string, key: string): string => (path === "" ? toIdentifier(key) : `${path}.${toIdentifier(key)}`);

/** A name that JMESPath cannot read bare is quoted. */
function toIdentifier(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}
