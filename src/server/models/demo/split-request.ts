const NEXT_STEP = /(?: ?[,;.\n] ?| )(?:and )?then\b[,:]? ?/i;
const NEXT_REQUEST = /\n|; ?/;
const PERHAPS_NEXT = /(,? and |, )/;
const MAX_REQUESTS = 20;
/** Each piece is compared with every tool. */
const MAX_PIECES = 60;

/**
 * The steps of a request, one after another, each with the requests of one turn.
 * @param masked the request, its literals masked
 * @param isRequest whether a piece after "and" or a comma is a request of its own
 */
export function splitRequest(masked: string, isRequest: (text: string) => boolean): string[][] {
  return masked
    .split(NEXT_STEP, MAX_REQUESTS)
    .map((step) => step.split(NEXT_REQUEST, MAX_REQUESTS).flatMap((line) => splitLine(line, isRequest)))
    .map((requests) => requests.slice(0, MAX_REQUESTS))
    .filter((requests) => requests.length > 0);
}

function splitLine(line: string, isRequest: (text: string) => boolean): string[] {
  const requests = [""];
  // Separators are at odd positions.
  for (const [at, part] of line.split(PERHAPS_NEXT).entries()) {
    const separate = at > 0 && at % 2 === 0 && at / 2 <= MAX_PIECES && isRequest(part);
    if (separate) requests.push(part);
    else requests[requests.length - 1] += part;
  }
  return requests
    .map((request) => request.replace(/(?:,? and|,) ?$/, "").trim())
    .filter((request) => /[\p{L}\p{N}\uE000]/u.test(request));
}
