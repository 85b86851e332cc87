import { AsyncLocalStorage } from "node:async_hooks";
import { Transform } from "node:stream";
import { LineSplitter } from "../../../platform/shared/line-splitter.mjs";

/** The line that is sent: the SDK would serialize its message again, and the client's text would be lost. */
export const sentLine = new AsyncLocalStorage();

/** Every number that `JSON.stringify` writes with other characters has one of these; a string may too. */
const MAY_CHANGE = /\d{16}|\d[.eE]|-0/;

/** Texts of answers as the gateway wrote them, by the id of their request: only those that may have numbers which would change. */
export class AnswerTexts {
  /** @type {Map<unknown, string>} */
  #texts = new Map();

  /** @param {string} text */
  note(text) {
    if (!MAY_CHANGE.test(text)) return;
    try {
      const { id, method } = JSON.parse(text);
      if (method === undefined && id !== undefined) this.#texts.set(id, text.replaceAll(/[\r\n]/g, " "));
    } catch {
      // The SDK reports text that is not a message.
    }
  }

  /** @param {unknown} id @returns {string | undefined} */
  take(id) {
    const text = this.#texts.get(id);
    this.#texts.delete(id);
    return text;
  }
}

/**
 * Sends lines as the client wrote them, and notes the texts of answers before the SDK parses them.
 * @param {AnswerTexts} texts @returns {typeof fetch}
 */
export function createLineFetch(texts) {
  return async (url, init) => {
    const line = sentLine.getStore();
    const isLine = init?.method === "POST" && typeof line === "string";
    const response = await fetch(url, isLine ? { ...init, body: line } : init);
    const { body, headers, status, statusText } = response;
    const type = headers.get("content-type") ?? "";
    if (body === null || !response.ok) return response;
    const head = { headers, status, statusText };
    if (type.startsWith("text/event-stream")) return new Response(body.pipeThrough(readEvents(texts)), head);
    if (!type.startsWith("application/json")) return response;
    const text = await response.text();
    texts.note(text);
    return new Response(text, head);
  };
}

const DATA = "data: ";

/** Passes a stream of events on, whose messages have one line each. @param {AnswerTexts} texts */
function readEvents(texts) {
  const decoder = new TextDecoder();
  /** @type {string[]} */
  let open = [];
  return new TransformStream({
    transform(chunk, controller) {
      const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
      open.push(first);
      for (const next of others) {
        const line = open.join("");
        if (line.startsWith(DATA)) texts.note(line.slice(DATA.length));
        open = [next];
      }
      controller.enqueue(chunk);
    },
  });
}

/**
 * Passes on lines of up to `maxBytes`, each in one chunk, and drops longer ones without keeping them in memory.
 * @param {number} maxBytes
 * @param {(line: import("../../../platform/shared/line-splitter.mjs").OversizedLine) => void} onDropped
 */
export function createLineLimit(maxBytes, onDropped) {
  const splitter = new LineSplitter(maxBytes, {
    line: (text, hasBreak) => void limit.push(hasBreak ? `${text}\n` : text),
    oversizedEnd: onDropped,
  });
  const limit = new Transform({
    transform(chunk, _encoding, done) {
      splitter.push(chunk);
      done();
    },
    flush(done) {
      splitter.flush();
      done();
    },
  });
  return limit;
}
