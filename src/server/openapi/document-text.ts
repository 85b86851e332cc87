import { CORE_SCHEMA, load, mergeTag } from "js-yaml";
import { parseDocument } from "yaml";

/** The last one of two equal keys counts, as in JSON. */
const OPTIONS = { schema: CORE_SCHEMA.withTags(mergeTag), json: true };
/** Aliases share one object, so that many of them take no memory. */
const LENIENT = { merge: true, uniqueKeys: false, strict: false, maxAliasCount: -1, logLevel: "silent" } as const;

/**
 * The value of JSON or YAML text, with merge keys. What a strict reader of YAML refuses although others read it, such as a
 * bracket that closes at the indentation of its key, takes the slower of two readers.
 * @throws Error that says where the text is broken
 */
export function parseDocumentText(text: string): unknown {
  const isJson = /^\s*[{[]/.test(text);
  try {
    return isJson ? JSON.parse(text) : load(text, OPTIONS);
  } catch (error) {
    const document = parseDocument(text, LENIENT);
    if (document.errors.length > 0) throw error;
    return document.toJS({ maxAliasCount: -1 });
  }
}
