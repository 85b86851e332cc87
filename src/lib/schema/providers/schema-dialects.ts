import type { ModelProviderKind } from "../../contract/model";
import type { NameRule } from "../../portable-name";
import { VOCABULARY } from "../keywords";

export type SchemaProvider = Exclude<ModelProviderKind, "demo">;

/** The keywords that one provider accepts below the root of a tool's parameters. */
export interface SchemaDialect {
  /** Keywords that stay unchanged; the others become a sentence in the description. */
  keywords: ReadonlySet<string>;
  /** References are written out: no `$ref` and no `$defs`. */
  inlineRefs: boolean;
  /** An array needs a schema of its items. */
  needsItems: boolean;
  /** A required name must be among the properties. */
  needsRequiredProperties: boolean;
  /** Values of `format` that are taken; null for all. */
  formats: ReadonlySet<string> | null;
  /** Values of an `enum` may be texts and numbers only. */
  plainEnums: boolean;
  /** The names that properties may have; null for all. One other name makes the API refuse the whole request. */
  propertyNames: PropertyNames | null;
}

export interface PropertyNames extends NameRule {
  /** The dialect's name for users. */
  words: string;
}

const ANTHROPIC_NAMES: PropertyNames = {
  accepted: /^[A-Za-z0-9_.-]{1,64}$/,
  unusable: /[^A-Za-z0-9_.-]/gu,
  words: "up to 64 letters, digits, '_', '.' and '-'",
};
const GEMINI_NAMES: PropertyNames = {
  accepted: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
  unusable: /[^A-Za-z0-9_]/gu,
  words: "up to 64 letters, digits and '_', beginning with a letter or '_'",
};

const COMMON = ["type", "description", "enum", "items", "anyOf", "properties", "required"];
const BOUNDS = ["minimum", "maximum", "minItems", "maxItems"];

const FULL: SchemaDialect = {
  keywords: VOCABULARY,
  inlineRefs: false,
  needsItems: false,
  needsRequiredProperties: false,
  formats: null,
  plainEnums: false,
  propertyNames: null,
};

/** Anthropic reads draft 2020-12, OpenAI nearly so; Gemini a documented subset; Ollama's structs drop what they lack. */
export const SCHEMA_DIALECTS: Record<SchemaProvider, SchemaDialect> = {
  anthropic: { ...FULL, propertyNames: ANTHROPIC_NAMES },
  openai: { ...FULL, needsItems: true },
  // Many servers stand behind one API: their grammars for tool calls rarely follow references, and routers lead to Anthropic.
  "openai-compatible": { ...FULL, inlineRefs: true, needsItems: true, propertyNames: ANTHROPIC_NAMES },
  gemini: {
    keywords: new Set([...COMMON, ...BOUNDS, "title", "format"]),
    inlineRefs: true,
    needsItems: true,
    needsRequiredProperties: true,
    // Another one can make the API refuse the whole request.
    formats: new Set(["date-time", "date", "time", "int32", "int64", "float", "double"]),
    plainEnums: true,
    propertyNames: GEMINI_NAMES,
  },
  ollama: {
    keywords: new Set(COMMON),
    inlineRefs: true,
    needsItems: false,
    needsRequiredProperties: false,
    formats: null,
    plainEnums: false,
    propertyNames: null,
  },
};
