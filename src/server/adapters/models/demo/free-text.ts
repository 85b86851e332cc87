import type { ToolMatch } from "./match-tool";
import { isFreeText, type Parameter } from "./parameters";
import { isStopWord, stem, wordsOf } from "./words";

/** Parameters that a sentence's words are usually meant for. */
const USUAL =
  /^(?:q|query|search|text|message|prompt|question|input|topic|subject|location|city|place|title|name|path|content|body|timezone|time_zone)$/;
const TIME_ZONE = /^(?:time_?zone|tz)$/;
const LEADING = /^(?:(?:with|of|for|in|at|on|about|to|from|that|says?|saying|called|named|the|a|an|is|me)(?:\s+|$))+/i;
const AFTER_PREPOSITION = /.*?\b(?:in|for|at|about|of|on|from|to|called|named|saying|titled)\s+(.+)$/is;
/** Prepositions whose words other parameters took. */
const DANGLING = /(?:\s+(?:in|for|of|at|on|to|with|by|and))+$/i;
/** Words of when, not of what. */
const TRAILING = /\s+(?:today|tomorrow|now|right now|please|at the moment|currently)$/i;

/** Where words or a quoted text belong: what was named just before, else the first that is required, the usual first. */
export function preferredText(open: readonly Parameter[], before: string): Parameter | null {
  const last = stem(wordsOf(before).at(-1) ?? "");
  const texts = open.filter(isFreeText);
  const named = texts.find(({ normal }) => last !== "" && normal.split("_").some((part) => stem(part) === last));
  const required = texts.filter((parameter) => parameter.required);
  const usual = (parameters: readonly Parameter[]) => parameters.find(({ normal }) => USUAL.test(normal));
  return named ?? usual(required) ?? required[0] ?? usual(texts) ?? texts[0] ?? null;
}

/** The words of the request that are a value; null where there are none. */
export function freeText(rest: string, match: ToolMatch, parameter: Parameter): string | null {
  const plain = tidy(rest);
  if (plain === "") return null;
  const text = match.by === "name" ? tidy(plain.replace(LEADING, "")) : fromSentence(plain, match);
  if (text === null || text === "") return null;
  if (TIME_ZONE.test(parameter.normal)) return zoneOf(text);
  // An optional parameter takes a sentence's words only where the tool was named: else they may mean anything.
  if (!parameter.required && match.by !== "name") return null;
  return text;
}

/** After a preposition, else what did not tell which tool is meant. */
function fromSentence(text: string, { used }: ToolMatch): string | null {
  const after = AFTER_PREPOSITION.exec(text)?.[1];
  if (after !== undefined && wordsOf(after).some((word) => !isStopWord(word))) return tidy(after);
  const words = text.split(/\s+/).filter((word) => {
    const plain = wordsOf(word)[0] ?? word;
    return !isStopWord(plain) && !used.has(stem(plain));
  });
  return words.length === 0 ? null : tidy(words.join(" "));
}

function tidy(text: string): string {
  const tidied = text.replace(/\s+/g, " ").replace(/^[\s,:.-]+|[\s,?!]+$|(?<=\p{L})\.$/gu, "");
  return tidied.replace(TRAILING, "").replace(DANGLING, "").trim();
}

/** The IANA name of a zone, given by itself or by its city; null for anything else. */
function zoneOf(text: string): string | null {
  if (/^utc$|^gmt$/i.test(text)) return "UTC";
  const wanted = text
    .toLowerCase()
    .replace(/^(?:the )/, "")
    .replaceAll(" ", "_");
  const zones = Intl.supportedValuesOf("timeZone");
  return (
    zones.find((zone) => zone.toLowerCase() === wanted) ??
    zones.find((zone) => zone.toLowerCase().split("/").at(-1) === wanted) ??
    (/^[A-Za-z_]+\/[A-Za-z_/+-]+$/.test(text) ? text : null)
  );
}
