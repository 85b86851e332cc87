import type { JsonSchema } from "../contract/json";
import { ownKeyword } from "./resolve-ref";

export type Dialect = "draft-04" | "draft-06" | "draft-07" | "2019-09" | "2020-12";

const DIALECT_URI = /^https?:\/\/json-schema\.org\/(?:draft\/(2020-12|2019-09)\/schema|(draft-0[467])\/schema)#?$/;
/** For a schema that declares no dialect, or an unknown one. */
export const DEFAULT_DIALECT = "2020-12";

/** The dialect that a document declares; null for one that is not known here. */
export function declaredDialect(root: JsonSchema): Dialect | null {
  const declared = ownKeyword(root, "$schema");
  if (declared === undefined) return DEFAULT_DIALECT;
  const found = typeof declared === "string" ? DIALECT_URI.exec(declared) : null;
  return ((found?.[1] ?? found?.[2]) as Dialect | undefined) ?? null;
}

export function getDialect(root: JsonSchema): Dialect {
  return declaredDialect(root) ?? DEFAULT_DIALECT;
}
