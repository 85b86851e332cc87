import MiniSearch from "minisearch";
import { isPlainObject } from "../../../lib/contract/json";
import type { CreateToolRanker, ToolWords } from "../../../lib/contract/word-test";
import type { CreateToolFinder } from "../../engine/ports";

/** The characters of a tool's text and its parameters; the rest hardly tells tools apart. */
const MAX_FIELD_CHARS = 4000;
const MAX_QUERY_CHARS = 500;
const FIELDS = ["name", "title", "tags", "description", "parameters"];
const BOOST = { name: 4, title: 3, tags: 2, description: 2 };

/** Finds tools by words of their names, tags, descriptions and parameters (BM25), with word beginnings and small typing errors. */
export const createToolFinder: CreateToolFinder = (tools) => {
  const index = new MiniSearch({
    idField: "name",
    fields: FIELDS,
    tokenize: splitWords,
    searchOptions: {
      boost: BOOST,
      prefix: (term) => term.length >= 3,
      fuzzy: (term) => (term.length >= 5 ? 0.2 : false),
      weights: { fuzzy: 0.2, prefix: 0.5 },
    },
  });
  index.addAll(tools.map(toDocument));
  return { search: (query) => index.search(query.slice(0, MAX_QUERY_CHARS)).map(({ id }) => String(id)) };
};

/** `getUserName`, `get_user_name` and `get user name` are the same three words. */
function splitWords(text: string): string[] {
  return text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2").split(/[^\p{L}\p{N}]+/u);
}

function parameterText(properties: unknown): string {
  if (!isPlainObject(properties)) return "";
  const texts = Object.entries(properties).map(([name, schema]) =>
    isPlainObject(schema) && typeof schema.description === "string" ? `${name} ${schema.description}` : name,
  );
  return texts.join(" ").slice(0, MAX_FIELD_CHARS);
}

function toDocument({ name, title, tags, description, parameters }: ToolWords) {
  return {
    ...{ name, title: title ?? "", description: description.slice(0, MAX_FIELD_CHARS) },
    tags: (tags ?? []).join(" ").slice(0, MAX_FIELD_CHARS),
    parameters: parameterText(parameters.properties),
  };
}

/**
 * Ranks tools for the questions of people by the same words and weights, but whole words in their base form: what a search
 * forgives, such as a typing error, would hide that a word is missing.
 */
export const createToolRanker: CreateToolRanker = (tools) => {
  const index = new MiniSearch({
    idField: "name",
    fields: FIELDS,
    tokenize: splitWords,
    processTerm: toBaseForm,
    searchOptions: { boost: BOOST },
  });
  index.addAll(tools.map(toDocument));
  return {
    replace(name, tool) {
      if (index.has(name)) index.discard(name);
      index.add(toDocument(tool));
    },
    rank: (query) =>
      index.search(query.slice(0, MAX_QUERY_CHARS)).map(({ id, score, queryTerms }) => ({
        ...{ name: String(id), score, words: queryTerms },
      })),
  };
};

/** Words that tell no tools apart. */
const STOP_WORDS = new Set(
  (
    "a about all an and any are as at be been by can could do does for from get give has have how i if in into is it its me my " +
    "need of on one or our please show tell that the their them there these this to us use used using want was we were what " +
    "when where which who will with would you your"
  ).split(" "),
);

/** `lists`, `listed` and `listing` are `list`; `location` and `located` are `locat`. Null leaves a word out. */
function toBaseForm(word: string): string | null {
  const lower = word.toLowerCase();
  if (lower.length < 2 || STOP_WORDS.has(lower)) return null;
  if (lower.length > 4 && lower.endsWith("ies")) return `${lower.slice(0, -3)}y`;
  for (const ending of ["ing", "ion", "ed"]) {
    if (lower.length > ending.length + 3 && lower.endsWith(ending)) return withoutE(lower.slice(0, -ending.length));
  }
  const single = lower.length > 3 && /[^su]s$/.test(lower) ? lower.slice(0, -1) : lower;
  return withoutE(single);
}

/** `create` and `creating` have the same base form; so have `stop` and `stopping`. */
function withoutE(word: string): string {
  if (word.length > 3 && /([bdgmnprt])\1$/.test(word)) return word.slice(0, -1);
  return word.length > 3 && word.endsWith("e") ? word.slice(0, -1) : word;
}
