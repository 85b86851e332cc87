import { isPlainObject } from "../../../lib/contract/json";
import { keepExactText, mayChange } from "../../../lib/json/exact-text";
import { findElements, findMember, type TextSpan } from "../../../lib/json/json-text";
import { createNotes } from "../../../lib/notes";
import { CallArguments } from "../../engine/executor/call-arguments";

/** Texts of `params.arguments`, by their parsed value: the SDK passes that on as the same object. */
const texts = createNotes<string>();

/** Keeps the text of the arguments of every `tools/call` in a request's body. */
export function keepArgumentTexts(body: string, message: unknown): void {
  const messages: unknown[] = Array.isArray(message) ? message : [message];
  if (!messages.some((one) => findArguments(one) !== null)) return;
  const starts = Array.isArray(message) ? findElements(body) : [0];
  for (const [index, one] of messages.entries()) {
    const value = findArguments(one);
    const params = value && findMember(body, starts[index] ?? 0, "params");
    const found = params && findMember(body, params.start, "arguments");
    if (!value || !found) continue;
    texts.set(value, body.slice(found.start, found.end));
  }
}

/** Keeps the texts of what a client answered to questions: in a response, or repeated with its call. */
export function keepAnswerTexts(body: string, message: unknown): void {
  if (!isPlainObject(message)) return;
  const { result, params } = message;
  const { inputResponses } = isPlainObject(params) ? params : {};
  if ((result === undefined && inputResponses === undefined) || !mayChange(body)) return;
  if (isPlainObject(result)) keepContentText(result, body, findMember(body, 0, "result"));
  const span = isPlainObject(inputResponses) ? findMember(body, 0, "params") : null;
  const responses = span && findMember(body, span.start, "inputResponses");
  if (!isPlainObject(inputResponses) || responses === null) return;
  for (const [key, answer] of Object.entries(inputResponses))
    keepContentText(answer, body, findMember(body, responses.start, key));
}

function keepContentText(answer: unknown, body: string, span: TextSpan | null): void {
  const content = span === null ? null : findMember(body, span.start, "content");
  if (!isPlainObject(answer) || content === null) return;
  keepExactText(answer.content, body.slice(content.start, content.end));
}

/** @param value `params.arguments` as the SDK hands it over; clients write null for none */
export function toCallArguments(value: unknown): CallArguments {
  const text = typeof value === "object" && value !== null ? texts.get(value) : undefined;
  return new CallArguments(value ?? {}, text);
}

/** Null where a message is no `tools/call`, or where its arguments are no object or array: such a call is refused. */
function findArguments(message: unknown): object | null {
  if (!isPlainObject(message) || message.method !== "tools/call" || !isPlainObject(message.params)) return null;
  const value = message.params.arguments;
  return typeof value === "object" ? value : null;
}
