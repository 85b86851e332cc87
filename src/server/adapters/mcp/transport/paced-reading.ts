import type { Readable } from "node:stream";

/** How long a stream's chunks may be processed before other work runs. */
const SLICE_MS = 20;

/**
 * Reads a stream and pauses it when processing takes long. Node reads up to 2 MB of a pipe at once: a server that floods
 * its output would block the calls of all others.
 */
export function readPaced(stream: Readable, onChunk: (chunk: Buffer) => void): void {
  let spentMs = 0;
  let scheduled = false;
  const endSlice = (): void => {
    spentMs = 0;
    scheduled = false;
    if (stream.isPaused()) stream.resume();
  };
  stream.on("data", (chunk: Buffer) => {
    const startedAt = performance.now();
    onChunk(chunk);
    spentMs += performance.now() - startedAt;
    if (spentMs >= SLICE_MS) stream.pause();
    if (scheduled) return;
    scheduled = true;
    setImmediate(endSlice);
  });
}
