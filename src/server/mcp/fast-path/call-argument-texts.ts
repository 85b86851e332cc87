import { isPlainObject } from "../../../lib/contract/json";
import { findElements, findMember } from "../../../lib/json/json-text";
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

/** @param value `params.arguments` as the SDK hands it over */
export function toCallArguments(value: unknown): CallArguments {
  const text = typeof value === "object" && value !== null ? texts.get(value) : undefined;
  return new CallArguments(value === undefined ? {} : value, text);
}

/** Null where a message is no `tools/call`, or where its arguments are no object or array: such a call is refused. */
function findArguments(message: unknown): object | null {
  if (!isPlainObject(message) || message.method !== "tools/call" || !isPlainObject(message.params)) return null;
  const value = message.params.arguments;
  return typeof value === "object" ? value : null;
}
