/** Reads a text body. @throws Error for one that is longer */
export async function readCappedText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error("the response is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
