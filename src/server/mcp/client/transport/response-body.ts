import { setImmediate as yieldTurn } from "node:timers/promises";
import { type OutgoingResponse, UNDECODABLE } from "../../../platform/outgoing/outgoing-response";
import { EventSplitter, formatEvent } from "../../fast-path/event-splitter";
import { readPaced } from "../../fast-path/paced-reading";
import { ResponseLostError } from "../session/connection-error";
import type { Inflow } from "./inflow";

export const CUT = "the connection was cut before the answer was complete";
/** The code of a body beyond its limit, which is that of zlib. */
export const TOO_LARGE = "ERR_BUFFER_TOO_LARGE";
/** Limit of unread data that is taken from the socket. */
const READ_AHEAD_BYTES = 256 * 1024;
const NEWLINE = 10;

export function tooLarge(maxBytes: number): ResponseLostError {
  const error = new ResponseLostError(`the answer is larger than the ${maxBytes} bytes allowed for a message`);
  return Object.assign(error, { code: TOO_LARGE });
}

function toLost(error: Error): ResponseLostError {
  if (error instanceof ResponseLostError) return error;
  const isUndecodable = (error as NodeJS.ErrnoException).code === UNDECODABLE;
  return new ResponseLostError(isUndecodable ? error.message : CUT, { cause: error });
}

/** Reads a whole body. Rejects when the connection is cut, or at `maxBytes`. */
export function readAll(message: OutgoingResponse, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    // A response that waited for its reader may have been cut in between.
    if (message.destroyed) reject(new ResponseLostError(CUT));
    const chunks: Buffer[] = [];
    let bytes = 0;
    message.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) message.destroy(tooLarge(maxBytes));
      else chunks.push(chunk);
    });
    message.on("error", (error) => reject(toLost(error)));
    message.on("end", () => resolve(Buffer.concat(chunks)));
    message.on("close", () => {
      if (!message.complete) reject(new ResponseLostError(CUT));
    });
  });
}

/** A longer chunk is passed on in parts that end with an event, since its reader takes each part in one turn. */
const PART_BYTES = 4096;

/**
 * A stream of events of at most `maxBytes` each; the stream itself is unlimited.
 * @param pause what to wait for before more is passed on
 * @param readData gets the data of each event before the reader does, and may replace it
 */
export function limitEvents(
  message: OutgoingResponse,
  maxBytes: number,
  pause: Inflow["pause"] = () => null,
  readData: (data: string) => string = (data) => data,
): ReadableStream<Uint8Array> {
  const counter = new EventBytes();
  const splitter = new EventSplitter();
  const readEvents = (part: Buffer): string => {
    let text = "";
    for (let at = 0; at < part.length; ) {
      const { event, end } = splitter.next(part, at);
      if (event !== null) text += formatEvent(event.data ? { ...event, data: readData(event.data) } : event);
      at = end;
    }
    return text;
  };
  let ended = false;
  let makeRoom = (): void => undefined;
  const waitUntilReady = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    if ((controller.desiredSize ?? 0) <= 0) {
      await new Promise<void>((resolve) => {
        makeRoom = resolve;
      });
    }
    await yieldTurn();
    for (let wait = pause(); wait !== null && !ended; wait = pause()) await wait;
  };
  const passOn = async (chunk: Buffer, controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    for (let from = 0; from < chunk.length && !ended; ) {
      const end = findPartEnd(chunk, from);
      const text = readEvents(chunk.subarray(from, end));
      if (text !== "") controller.enqueue(Buffer.from(text));
      from = end;
      await waitUntilReady(controller);
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const fail = (error: Error): void => {
          if (ended) return;
          ended = true;
          controller.error(error);
        };
        if (message.destroyed) fail(new ResponseLostError(CUT));
        readPaced(message, (chunk) => {
          if (ended) return null;
          if (counter.add(chunk) <= maxBytes) return passOn(chunk, controller);
          fail(tooLarge(maxBytes));
          message.destroy();
          return null;
        });
        // A response that was handed over is paused.
        message.resume();
        message.on("end", () => {
          const last = splitter.takeLast();
          if (!ended && last?.data)
            controller.enqueue(Buffer.from(formatEvent({ ...last, data: readData(last.data) })));
          if (!ended) controller.close();
          ended = true;
        });
        message.on("error", (error) => fail(toLost(error)));
        message.on("close", () => {
          if (!ended) fail(new ResponseLostError(CUT));
        });
      },
      pull() {
        makeRoom();
      },
      cancel() {
        ended = true;
        message.destroy();
      },
    },
    { highWaterMark: READ_AHEAD_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
  );
}

function findPartEnd(chunk: Buffer, from: number): number {
  const end = chunk.length - from <= PART_BYTES ? -1 : chunk.indexOf("\n\n", from + PART_BYTES);
  return end === -1 ? chunk.length : end + 2;
}

/** Counts the bytes of the current event, which ends with an empty line. */
class EventBytes {
  #bytes = 0;
  #lastByte = 0;

  /** May miss an end that is split between two chunks; the count is then too high until the next one. */
  add(chunk: Buffer): number {
    let end = -1;
    if (chunk[0] === NEWLINE && this.#lastByte === NEWLINE) end = 0;
    end = Math.max(end, chunk.lastIndexOf("\n\n"), chunk.lastIndexOf("\n\r\n"), chunk.lastIndexOf("\r\r"));
    this.#bytes = end === -1 ? this.#bytes + chunk.length : chunk.length - end;
    this.#lastByte = chunk[chunk.length - 1] ?? 0;
    return this.#bytes;
  }
}
