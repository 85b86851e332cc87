import type { Readable } from "node:stream";

const LINE_BREAK = 0x0a;

/** The lines of a stream of JSON texts; the last one may have been cut. Throws where the stream was. */
export async function* readLines(stream: Readable): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_BREAK); end !== -1; end = chunk.indexOf(LINE_BREAK, start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)]).toString();
      parts = [];
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
  }
}
