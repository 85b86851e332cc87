import type { CheckedClient } from "../../contract/client-verdict";
import { type PropertyNames, SCHEMA_DIALECTS } from "../providers/schema-dialects";
import type { ClientProfile, ClientRule } from "./client-profile";

const { gemini, ollama } = SCHEMA_DIALECTS;
const GEMINI_NAMES = gemini.propertyNames as PropertyNames;
const ANTHROPIC_NAMES = SCHEMA_DIALECTS.anthropic.propertyNames as PropertyNames;

/** The target of a reference is written where the reference stands, so its keywords are no loss. */
const REFERENCES = ["$ref", "$defs", "definitions"];

const OPENAI_RULES = [
  {
    check: "name-characters",
    allowed: "A-Za-z0-9_-",
    severity: "refused",
    breaksList: true,
    source: "openaiNames",
  },
  { check: "name-length", max: 64, of: "list", severity: "refused", breaksList: true, source: "openaiNames" },
  { check: "tool-count", max: 128, severity: "refused", breaksList: true, source: "zedCount" },
  {
    check: "root-keywords",
    keywords: ["anyOf", "oneOf", "allOf", "enum", "not"],
    severity: "refused",
    breaksList: true,
    source: "openaiRoot",
  },
  { check: "array-items", severity: "refused", breaksList: true, source: "openaiItems" },
  {
    check: "description-length",
    max: 1024,
    severity: "warns",
    source: "openaiDescriptions",
    note: "Earlier models refuse longer ones.",
  },
] as const satisfies readonly ClientRule[];

/** Rules of model APIs for a tool that is passed on as it is. Toolroom's own requests are adapted to each of them. */
export const MODEL_API_PROFILES = {
  "anthropic-api": {
    label: "Anthropic API",
    kind: "api",
    prefix: "",
    rules: [
      {
        check: "name-characters",
        allowed: "A-Za-z0-9_-",
        severity: "refused",
        breaksList: true,
        source: "anthropicTools",
      },
      { check: "name-length", max: 128, of: "list", severity: "refused", breaksList: true, source: "anthropicTools" },
      {
        check: "root-keywords",
        keywords: ["anyOf", "oneOf", "allOf"],
        severity: "refused",
        breaksList: true,
        source: "claudeCodeRoot",
      },
      {
        check: "property-names",
        accepted: ANTHROPIC_NAMES.accepted,
        words: ANTHROPIC_NAMES.words,
        depth: "top",
        severity: "refused",
        breaksList: true,
        source: "claudeCodeMcp",
      },
    ],
    features: [],
  },
  "openai-api": { label: "OpenAI API", kind: "api", prefix: "", rules: OPENAI_RULES, features: [] },
  "openai-strict": {
    label: "OpenAI API, strict",
    kind: "api",
    prefix: "",
    rules: [...OPENAI_RULES, { check: "strict", severity: "refused", source: "openaiStrict" }],
    features: [],
  },
  "gemini-api": {
    label: "Gemini API",
    kind: "api",
    prefix: "",
    rules: [
      {
        check: "name-characters",
        allowed: "A-Za-z0-9_.-",
        first: "A-Za-z_",
        severity: "refused",
        breaksList: true,
        source: "geminiApiNames",
      },
      { check: "name-length", max: 64, of: "list", severity: "refused", breaksList: true, source: "geminiApiNames" },
      {
        check: "property-names",
        accepted: GEMINI_NAMES.accepted,
        words: GEMINI_NAMES.words,
        depth: "all",
        severity: "refused",
        breaksList: true,
        source: "geminiApiNames",
      },
      { check: "array-items", severity: "refused", breaksList: true, source: "geminiApiItems" },
      {
        check: "keywords",
        kept: new Set([...gemini.keywords, ...REFERENCES]),
        severity: "dropped",
        source: "geminiApiSchema",
      },
    ],
    features: [],
  },
  "ollama-api": {
    label: "Ollama API",
    kind: "api",
    prefix: "",
    rules: [
      {
        check: "keywords",
        kept: new Set([...ollama.keywords, "$defs"]),
        severity: "dropped",
        source: "ollamaSchema",
      },
    ],
    features: [],
  },
} as const satisfies Partial<Record<CheckedClient, ClientProfile>>;
