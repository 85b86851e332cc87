import { isPlainObject } from "../../../lib/contract/json";
import { keepExactResult, mayChange } from "../../../lib/json/exact-text";
import { findElements, findMember } from "../../../lib/json/json-text";
import { keepText } from "../../../lib/json/known-text";
import { isUnusual, toUsualTextInSlices } from "../../../lib/json/usual-text";
import { INLINE_CHARS, parseWithSpan } from "../../../lib/parse-in-slices";

const ID_FIRST = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),"result":(?=\{)/;
const RESULT_FIRST = '{"result":';
const ID_LAST = /,"jsonrpc":"2\.0","id":(\d{1,15})\}$/;
/** The longest match of `ID_LAST` at the end of a text. */
const TAIL_CHARS = 40;

/**
 * A message as `JSON.parse` reads it; a promise for a text that is parsed in slices. For a response in the form of the
 * SDKs, the result's own text is kept, so that a result that is stored and passed on is not serialized again.
 * @throws SyntaxError
 */
export function parseMessage(received: string): unknown {
  const text = withoutByteOrderMark(received);
  if (text.length > INLINE_CHARS) return parseLongMessage(text);
  return parseResponse(text) ?? parseOther(text);
}

const BYTE_ORDER_MARK = 0xfeff;

export const withoutByteOrderMark = (text: string): string =>
  text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;

/** Keeps the texts of results, of answers to questions and of data of errors with numbers that would change. */
function parseOther(text: string): unknown {
  const message: unknown = JSON.parse(text);
  if (!mayChange(text)) return message;
  if (!Array.isArray(message)) keepResultText(message, text, 0);
  else for (const [index, start] of findElements(text).entries()) keepResultText(message[index], text, start);
  return message;
}

function keepResultText(message: unknown, text: string, start: number): void {
  if (!isPlainObject(message)) return;
  const { result, error } = message;
  if (isPlainObject(result)) {
    const span = findMember(text, start, "result");
    if (span !== null) keepExactResult(result, text.slice(span.start, span.end));
  } else if (isPlainObject(error)) keepErrorText(error, text, start);
}

/** Keeps the text of the data of an error. @param start of its message */
function keepErrorText({ data }: Record<string, unknown>, text: string, start: number): void {
  const error = findMember(text, start, "error");
  const span = error === null ? null : findMember(text, error.start, "data");
  if (span !== null) keepExactResult(data, text.slice(span.start, span.end));
}

async function parseLongMessage(text: string): Promise<unknown> {
  const { value, span } = await parseWithSpan(text, "result");
  const resultText = span === null ? "" : text.slice(span.start, span.end);
  const result = isPlainObject(value) && isPlainObject(value.result) ? value.result : null;
  if (result !== null) keepText(result, (await toUsualTextInSlices(resultText)).trim());
  return value;
}

/** Null for a text of another form. What is left between both ends is the result only if it is one JSON value. */
function parseResponse(text: string): unknown {
  const head = ID_FIRST.exec(text);
  const tail = head === null && text.startsWith(RESULT_FIRST) ? ID_LAST.exec(text.slice(-TAIL_CHARS)) : null;
  const id = head?.[1] ?? tail?.[1];
  if (id === undefined) return null;
  const resultText =
    head === null ? text.slice(RESULT_FIRST.length, -(tail?.[0].length ?? 0)) : text.slice(head[0].length, -1);
  if (!text.endsWith("}") || isUnusual(resultText)) return null;
  try {
    const result: unknown = JSON.parse(resultText);
    if (!isPlainObject(result)) return null;
    keepText(result, resultText);
    return { jsonrpc: "2.0", id: Number(id), result };
  } catch {
    return null;
  }
}
