import MiniSearch from "minisearch";
import { isPlainObject } from "../../../lib/contract/json";
import type { CreateToolRanker, RankedTool, ToolWords } from "../../../lib/contract/word-test";
import type { CreateToolFinder } from "../../engine/ports";

/** The characters of a tool's text and its parameters; the rest hardly tells tools apart. */
const MAX_FIELD_CHARS = 4000;
const MAX_QUERY_CHARS = 500;
/** Each is compared with the words of all tools. */
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

function toDocument({ name, title, tags, description, parameters }: ToolWords) {
  return {
    name,
    title: title ?? "",
    description: description.slice(0, MAX_FIELD_CHARS),
    tags: (tags ?? []).join(" ").slice(0, MAX_FIELD_CHARS),
    parameters: parameterText(parameters.properties),
  };
}

/** BM25+ as the finder computes it. */
const K = 1.2;
const B = 0.7;
const D = 0.5;

/** A field of a tool that has a word, and how often. */
interface Posting {
  tool: number;
  times: number;
}

interface IndexedTool {
  name: string;
  /** The different words of each field, those without a base form included. */
  lengths: number[];
  words: ReadonlySet<string>;
}

/**
 * Ranks tools for the questions of people by the words and weights of the finder, but whole words in their base form: what a search
 * forgives, such as a typing error, would hide that a word is missing.
 */
export const createToolRanker: CreateToolRanker = (given) => {
  const tools: IndexedTool[] = [];
  /** By base form and field. */
  const postings = new Map<string, Posting[][]>();
  const totals = FIELDS.map(() => 0);

  function add(at: number, tool: ToolWords): void {
    const document = toDocument(tool);
    const words = new Set<string>();
    const lengths = FIELDS.map((field, index) => {
      const split = splitWords(document[field]);
      const counts = new Map<string, number>();
      for (const word of split) {
        const base = toBaseForm(word);
        if (base !== null) counts.set(base, (counts.get(base) ?? 0) + 1);
      }
      for (const [base, times] of counts) {
        const fields = postings.get(base) ?? FIELDS.map((): Posting[] => []);
        if (!postings.has(base)) postings.set(base, fields);
        fields[index]?.push({ tool: at, times });
        words.add(base);
      }
      return new Set(split).size;
    });
    tools[at] = { name: tool.name, lengths, words };
    for (const [field, length] of lengths.entries()) totals[field] = (totals[field] ?? 0) + length;
  }

  function remove(at: number): void {
    const { lengths, words } = tools[at] as IndexedTool;
    for (const [field, length] of lengths.entries()) totals[field] = (totals[field] ?? 0) - length;
    for (const word of words) {
      const fields = (postings.get(word) ?? []).map((each) => each.filter(({ tool }) => tool !== at));
      postings.set(word, fields);
    }
  }

  for (const [at, tool] of given.entries()) add(at, tool);

  return {
    replace(name, tool) {
      const at = tools.findIndex((each) => each.name === name);
      if (at !== -1) remove(at);
      add(at === -1 ? tools.length : at, tool);
    },
    rank(query) {
      const asked = new Map<string, number>();
      for (const word of splitWords(query.slice(0, MAX_QUERY_CHARS))) {
        const base = toBaseForm(word);
        if (base !== null) asked.set(base, (asked.get(base) ?? 0) + 1);
      }
      const scores = new Float64Array(tools.length);
      const found: (RankedTool | undefined)[] = [];
      for (const [base, times] of asked) {
        for (const [field, list] of (postings.get(base) ?? []).entries()) {
          const mean = (totals[field] ?? 0) / tools.length;
          const rarity = Math.log(1 + (tools.length - list.length + 0.5) / (list.length + 0.5));
          const weight = times * BOOST[FIELDS[field] as keyof typeof BOOST] * rarity;
          for (const posting of list) {
            const { name, lengths } = tools[posting.tool] as IndexedTool;
            const length = (lengths[field] ?? 0) / mean;
            const share = (posting.times * (K + 1)) / (posting.times + K * (1 - B + B * length));
            scores[posting.tool] = (scores[posting.tool] ?? 0) + weight * (D + share);
            found[posting.tool] ??= { name, score: 0, words: [] };
            const { words } = found[posting.tool] as RankedTool;
            if (words.at(-1) !== base) words.push(base);
          }
        }
      }
      const ranked = found.flatMap((each, at) =>
        each === undefined ? [] : { ...each, score: (scores[at] ?? 0) * each.words.length },
      );
      return ranked.sort((one, other) => other.score - one.score);
    },
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
