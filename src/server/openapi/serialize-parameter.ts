import { ExactNumber } from "../../lib/contract/exact-number";
import { isPlainObject } from "../../lib/contract/json";
import { writeExact } from "../../lib/json/exact-text";
import type { ApiParameter } from "./operation";

type Pair = readonly [name: string, value: string];

const MAX_LEVELS = 10;
/** Characters that `allowReserved` keeps unchanged. */
const RESERVED = /%(?:3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B|7E)/gi;

/** A value of a path, header or cookie parameter as its style writes it. */
export function serializeValue({ name, in: where, style, explode, json }: ApiParameter, value: unknown): string {
  const encode = where === "path" ? encodeURIComponent : (text: string) => text;
  if (json) return encode(writeExact(value) ?? "null");
  const flat = flatten(value, explode, encode);
  if (where !== "path") return flat.join(",");
  if (style === "label") return `.${flat.join(explode ? "." : ",")}`;
  if (style !== "matrix") return flat.join(",");
  const key = encode(name);
  if (!explode || !(Array.isArray(value) || isPlainObject(value))) return `;${key}=${flat.join(",")}`;
  return flat.map((part) => (Array.isArray(value) ? `;${key}=${part}` : `;${part}`)).join("");
}

/** A list's items; an object's names and values, as `name=value` where it is exploded. */
function flatten(value: unknown, explode: boolean, encode: (text: string) => string): string[] {
  if (Array.isArray(value)) return value.map((item) => encode(toText(item)));
  if (!isPlainObject(value)) return [encode(toText(value))];
  return Object.entries(value).flatMap(([key, item]) =>
    explode ? [`${encode(key)}=${encode(toText(item))}`] : [encode(key), encode(toText(item))],
  );
}

/** A query parameter, or a property of a form, as the names and values that are sent. */
export function toPairs(
  { name, style, explode, json }: Pick<ApiParameter, "name" | "style" | "explode" | "json">,
  value: unknown,
): Pair[] {
  if (json) return [[name, writeExact(value) ?? "null"]];
  if (style === "deepObject") return toDeepPairs(name, value, 0);
  const separator = style === "spaceDelimited" ? " " : style === "pipeDelimited" ? "|" : ",";
  if (Array.isArray(value)) {
    if (explode) return value.map((item) => [name, toText(item)]);
    return value.length === 0 ? [] : [[name, value.map(toText).join(separator)]];
  }
  if (!isPlainObject(value)) return [[name, toText(value)]];
  const entries = Object.entries(value);
  if (explode) return entries.map(([key, item]) => [key, toText(item)]);
  return entries.length === 0 ? [] : [[name, entries.flatMap(([key, item]) => [key, toText(item)]).join(separator)]];
}

/** `filter[price][min]=1`, also for lists and deeper levels, which the specification leaves open. */
function toDeepPairs(name: string, value: unknown, level: number): Pair[] {
  if (level < MAX_LEVELS && (Array.isArray(value) || isPlainObject(value))) {
    return Object.entries(value).flatMap(([key, item]) => toDeepPairs(`${name}[${key}]`, item, level + 1));
  }
  return [[name, toText(value)]];
}

/** Encodes pairs as `application/x-www-form-urlencoded`, with %20 for a space, which every server reads. */
export function encodePairs(pairs: readonly Pair[], allowReserved = false): string {
  const encode = (text: string): string => {
    const encoded = encodeURIComponent(text);
    return allowReserved ? encoded.replace(RESERVED, decodeURIComponent) : encoded;
  };
  return pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
}

/** Nested values have no separate form in most styles. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  return typeof value === "object" && !(value instanceof ExactNumber) ? (writeExact(value) ?? "") : String(value);
}
