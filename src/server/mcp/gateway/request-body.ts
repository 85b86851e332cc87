import type { IncomingMessage } from "node:http";

export type RequestBody = { text: string } | { tooLarge: true } | { broken: true };

/** A request's body as text, never more of it than `maxBytes`. */
export function readRequestBody(request: IncomingMessage, maxBytes: number): Promise<RequestBody> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Promise.resolve({ tooLarge: true });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let received = 0;
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received <= maxBytes) chunks.push(chunk);
      else resolve({ tooLarge: true });
    });
    request.once("end", () =>
      resolve({ text: (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))?.toString() ?? "" }),
    );
    request.once("error", () => resolve({ broken: true }));
    // A connection that is cut half-way ends without an error of its own.
    request.once("close", () => resolve({ broken: true }));
  });
}
