/** Words that say nothing about which tool is meant. */
const STOP_WORDS = new Set(
  `a an the this that these those it its is are was were be been am do does did done can could would will shall should
  may might must please me my mine i you your yours we us our of in on at to for from by with without and or but not no
  yes so as if than then there here what which who whom whose when where why how much many some any all every each tell
  show give let lets make want need like look know say now just also too very up out about into over again us call run
  use invoke execute using tool tools function result results value values hello hi hey thanks thank ok okay`
    .split(/\s+/)
    .filter(Boolean),
);

/** Verbs that many tools share: alone they name none of them. */
const COMMON_VERBS = new Set(
  "get list create update delete search find read write set add remove fetch open send check simulate trigger".split(
    " ",
  ),
);

const COMMANDS =
  /^(?:(?:please|can you|could you|would you|will you|i want you to|i'd like you to|let's|now|also|and|then|just)[,\s]+|(?:call|run|use|invoke|execute|try)\s+|the\s+(?=\S+\s+tool\b)|tools?\s+)+/i;

/** Lower case, one kind of separator. `getSum`, `get-sum` and `get_sum` are the same. */
export function normalName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "");
}

/** A tool's own part of `server__tool`. */
export function ownName(name: string): string {
  const at = name.lastIndexOf("__");
  return at <= 0 ? name : name.slice(at + 2);
}

export function stem(word: string): string {
  const lower = word.toLowerCase();
  if (lower.length > 4 && lower.endsWith("ies")) return `${lower.slice(0, -3)}y`;
  return lower.length > 3 && lower.endsWith("s") && !lower.endsWith("ss") ? lower.slice(0, -1) : lower;
}

export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word.toLowerCase());
}

export function isCommonVerb(stemmed: string): boolean {
  return COMMON_VERBS.has(stemmed);
}

/** Stems of the words that say something. */
export function contentStems(text: string): string[] {
  return wordsOf(text)
    .filter((word) => !isStopWord(word) && !/^\d+$/.test(word))
    .map(stem);
}

export function withoutCommands(text: string): string {
  return text.trim().replace(COMMANDS, "").trim();
}
