import { isPlainObject } from "../../../../lib/contract/json";
import { mayChange } from "../../../../lib/json/exact-text";
import { findElements, findMember } from "../../../../lib/json/json-text";
import type { MessageId } from "./json-rpc";

/** The limit of texts from responses that no request waits for. */
const MAX_TEXTS = 100;

/** Texts of results, and of data of errors, that the SDK parses itself, by the id of their request: only those whose numbers would change. */
export class ResultTexts {
  readonly #texts = new Map<MessageId, string>();

  /**
   * @param text of a message, of a batch, or of anything else
   * @param known its value, where it was parsed already
   */
  note(text: string, known?: unknown): void {
    if (!mayChange(text)) return;
    const message = known === undefined ? parse(text) : known;
    if (!Array.isArray(message)) this.#noteResult(message, text, 0);
    else for (const [index, start] of findElements(text).entries()) this.#noteResult(message[index], text, start);
  }

  take(id: MessageId): string | undefined {
    const text = this.#texts.get(id);
    this.#texts.delete(id);
    return text;
  }

  #noteResult(message: unknown, text: string, start: number): void {
    if (!isPlainObject(message)) return;
    const { id } = message;
    const error = message.error !== undefined && message.error !== null ? findMember(text, start, "error") : null;
    const isAnswer = typeof id === "number" || typeof id === "string";
    const span = isAnswer ? findMember(text, error?.start ?? start, error === null ? "result" : "data") : null;
    if (span === null) return;
    this.#texts.set(id as MessageId, text.slice(span.start, span.end));
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > MAX_TEXTS && oldest !== undefined) this.#texts.delete(oldest);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
