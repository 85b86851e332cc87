import MiniSearch from "minisearch";
import { isPlainObject } from "../../../lib/contract/json";
import type { CreateToolFinder } from "../../engine/ports";

/** The limit of a tool's text and parameters; the rest hardly distinguishes tools. */
const MAX_FIELD_CHARS = 4000;
const MAX_QUERY_CHARS = 500;
/** The number of words, each of which is compared with those of all tools. */
const MAX_QUERY_WORDS = 40;
const FIELDS = ["name", "title", "tags", "description", "parameters"] as const;
const BOOST = { name: 4, title: 3, tags: 2, description: 2, parameters: 1 };

/** Finds tools by words of their names, tags, descriptions and parameters (BM25), with word beginnings and small typing errors. */
export const createToolFinder: CreateToolFinder = (tools) => {
  const index = new MiniSearch({
    idField: "name",
    fields: [...FIELDS],
    tokenize: splitWords,
    searchOptions: {
      boost: BOOST,
      prefix: (term) => term.length >= 3,
      fuzzy: (term) => (term.length >= 5 ? 0.2 : false),
      weights: { fuzzy: 0.2, prefix: 0.5 },
    },
  });
  index.addAll(tools.map(toDocument));
  return { search: (query) => index.search(shortenQuery(query)).map(({ id }) => String(id)) };
};

function shortenQuery(query: string): string {
  return [...new Set(splitWords(query.slice(0, MAX_QUERY_CHARS)))].slice(0, MAX_QUERY_WORDS).join(" ");
}

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

function toDocument({ name, title, tags, description, parameters }: Parameters<CreateToolFinder>[0][number]) {
  return {
    name,
    title: title ?? "",
    description: description.slice(0, MAX_FIELD_CHARS),
    tags: (tags ?? []).join(" ").slice(0, MAX_FIELD_CHARS),
    parameters: parameterText(parameters.properties),
  };
}
