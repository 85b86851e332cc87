import type { IncomingMessage } from "node:http";
import { AnswerLost } from "./connection-fault";

const CUT = "the connection was cut before the answer was complete";
/** Of a body that nobody has read yet no more than this is taken from the socket. */
const READ_AHEAD_BYTES = 256 * 1024;
const NEWLINE = 10;

function tooLarge(maxBytes: number): AnswerLost {
  return new AnswerLost(`the answer is larger than the ${maxBytes} bytes that a message may have`);
}

/** A whole body. Rejects when it is cut, and stops reading at `maxBytes`. */
export function readAll(message: IncomingMessage, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    message.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) message.destroy(tooLarge(maxBytes));
      else chunks.push(chunk);
    });
    message.on("error", (error) => reject(error instanceof AnswerLost ? error : new AnswerLost(CUT, { cause: error })));
    message.on("end", () => resolve(new Uint8Array(Buffer.concat(chunks))));
    message.on("close", () => {
      if (!message.complete) reject(new AnswerLost(CUT));
    });
  });
}

/** A stream of events, each of which may have `maxBytes`; the stream as a whole may go on for ever. */
export function limitEvents(message: IncomingMessage, maxBytes: number): ReadableStream<Uint8Array> {
  const counter = new EventBytes();
  let ended = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const fail = (error: Error): void => {
          if (ended) return;
          ended = true;
          controller.error(error);
        };
        message.on("data", (chunk: Buffer) => {
          if (ended) return;
          if (counter.add(chunk) > maxBytes) {
            fail(tooLarge(maxBytes));
            message.destroy();
            return;
          }
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) message.pause();
        });
        message.on("end", () => {
          if (!ended) controller.close();
          ended = true;
        });
        message.on("error", (error) => fail(new AnswerLost(CUT, { cause: error })));
        message.on("close", () => {
          if (!ended) fail(new AnswerLost(CUT));
        });
      },
      pull() {
        message.resume();
      },
      cancel() {
        ended = true;
        message.destroy();
      },
    },
    { highWaterMark: READ_AHEAD_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
  );
}

/** Counts the bytes since the last empty line, which ends an event. */
class EventBytes {
  #bytes = 0;
  #lastByte = 0;

  /** An end that is split between two chunks may be missed; then the count is too high until the next one. */
  add(chunk: Buffer): number {
    let end = -1;
    if (chunk[0] === NEWLINE && this.#lastByte === NEWLINE) end = 0;
    end = Math.max(end, chunk.lastIndexOf("\n\n"), chunk.lastIndexOf("\n\r\n"), chunk.lastIndexOf("\r\r"));
    this.#bytes = end === -1 ? this.#bytes + chunk.length : chunk.length - end;
    this.#lastByte = chunk[chunk.length - 1] ?? 0;
    return this.#bytes;
  }
}
