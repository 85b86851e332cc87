import { AsyncLocalStorage } from "node:async_hooks";
import { Transform } from "node:stream";
import { LineSplitter } from "../../../platform/shared/line-splitter.mjs";

/** The line that is sent: the SDK would serialize its message again, and the client's text would be lost. */
export const sentLine = new AsyncLocalStorage();

/** @type {typeof fetch} */
export const fetchWithLine = (url, init) => {
  const line = sentLine.getStore();
  return fetch(url, init?.method === "POST" && typeof line === "string" ? { ...init, body: line } : init);
};

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
