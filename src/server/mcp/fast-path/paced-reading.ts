import type { Readable } from "node:stream";

/** How long a stream's chunks may be processed before other work runs. */
const SLICE_MS = 20;

/**
 * Reads a stream and pauses it when processing takes long, and for as long as `onChunk` asks for with a promise, which must
 * not reject. Returns a function that ends the reading, for another reader of the stream. Node reads up to 2 MB of a pipe at once: a server that floods its output would block the calls of all others.
 */
export function readPaced(stream: Readable, onChunk: (chunk: Buffer) => Promise<void> | null): () => void {
  let spentMs = 0;
  let scheduled = false;
  let processing = false;
  let stopped = false;
  const endSlice = (): void => {
    spentMs = 0;
    scheduled = false;
    if (!stopped && !processing && stream.isPaused()) stream.resume();
  };
  const process = (chunk: Buffer): void => {
    const startedAt = performance.now();
    const processed = onChunk(chunk);
    spentMs += performance.now() - startedAt;
    if (processed === null) return;
    processing = true;
    stream.pause();
    void processed.then(() => {
      processing = false;
      if (!stopped) stream.resume();
    });
  };
  const onData = (chunk: Buffer): void => {
    process(chunk);
    if (stopped) return;
    if (spentMs >= SLICE_MS) stream.pause();
    if (scheduled) return;
    scheduled = true;
    setImmediate(endSlice);
  };
  stream.on("data", onData);
  return () => {
    stopped = true;
    stream.off("data", onData);
  };
}
