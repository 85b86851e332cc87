/** Steps one after another, each with the requests that go at the same time. */
export type Steps = string[][];

const IN_ORDER = /(?:[,;.\n]\s*|\band\s+)?\b(?:then|after that|afterwards)\b[,:]?\s*|[,;.\n]\s*(?:finally|next),?\s+/gi;
const ALWAYS = /\n+|;\s*/;
const PERHAPS = /(\s*,?\s+(?:and|&)\s+|,\s+|[.?!]\s+)/;
/** A place's or person's name, after a preposition perhaps: what a request may be repeated for. */
const NAMES = /^(?:in |for |at |of )?\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*){0,2}[?!.]?$/u;
/** "… with get_sum": the tool's name at the end of what it is to do. */
const BY_MEANS = /\b(?:with|using|by|via|through)\s+(?:the\s+)?\S+(?:\s+tool)?[.?!]?$/i;
const TIMES = /\s+(?:twice|thrice|(\d{1,2}|two|three|four|five) times)(?=[\s?!.]*$|\s+with\b)/i;
const NUMBER_WORDS = new Map([
  ["two", 2],
  ["three", 3],
  ["four", 4],
  ["five", 5],
]);
const MAX_TIMES = 10;
const MAX_REQUESTS = 20;
/** Each piece is compared with every tool. */
const MAX_PIECES = 60;

/**
 * @param masked its literals masked
 * @param isRequest whether a piece after an "and" or a comma asks for something by itself
 */
export function splitRequest(masked: string, isRequest: (text: string) => boolean): Steps {
  return masked
    .split(IN_ORDER)
    .map((step) =>
      step
        .split(ALWAYS)
        .slice(0, MAX_REQUESTS)
        .flatMap((line) => splitLine(line, isRequest)),
    )
    .slice(0, MAX_REQUESTS)
    .map((requests) => requests.flatMap(repeated).slice(0, MAX_REQUESTS))
    .filter((requests) => requests.length > 0);
}

function splitLine(line: string, isRequest: (text: string) => boolean): string[] {
  const [first = "", ...more] = line.split(PERHAPS);
  const requests = [first];
  for (let at = 0; at + 1 < more.length; at += 2) {
    const separator = more[at] ?? "";
    const piece = more[at + 1] ?? "";
    if (at / 2 >= MAX_PIECES) {
      requests[requests.length - 1] += `${separator}${piece}`;
      continue;
    }
    const last = requests.length - 1;
    const former = requests[last] ?? "";
    const repeat = /\band\b|&/.test(separator) ? forAnother(former, piece, isRequest) : null;
    const belongs = BY_MEANS.test(piece) && !isRequest(former);
    if (isRequest(piece) && !belongs) requests.push(piece);
    else if (repeat !== null) requests.push(repeat);
    else requests[last] = `${former}${separator}${piece}`;
  }
  return requests.map((request) => request.trim()).filter((request) => /[\p{L}\p{N}\uE000]/u.test(request));
}

/** "weather in Oslo" and "Bergen": the same asked for the other name; null where that is not what is meant. */
function forAnother(former: string, piece: string, isRequest: (text: string) => boolean): string | null {
  if (!NAMES.test(piece) || !isRequest(former)) return null;
  const match = /^(.*\b(?:in|for|at|of)\s+)\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*){0,2}$/u.exec(former);
  return match?.[1] === undefined ? null : `${match[1]}${piece.replace(/^(?:in|for|at|of) /, "")}`;
}

function repeated(request: string): string[] {
  const match = TIMES.exec(request);
  if (match === null) return [request];
  const [phrase, number] = match;
  const word = phrase.trim().toLowerCase();
  const times =
    word === "twice" ? 2 : word === "thrice" ? 3 : (NUMBER_WORDS.get(number?.toLowerCase() ?? "") ?? Number(number));
  const once = request.replace(TIMES, "").trim();
  return Array.from({ length: Math.min(MAX_TIMES, Math.max(1, times)) }, () => once);
}
