/** The types that the cases of `bench/hostile.ts` share. */
import type { HostileServer } from "./hostile-server";

export interface Context {
  server: HostileServer;
  folder: string;
  /** Calls a procedure. */
  api<T>(procedure: string, input: unknown, method?: "GET" | "POST"): Promise<T>;
  /** Reads a complete page or response and returns its size in bytes. */
  read(address: string): Promise<number>;
  /** Adds a server of `hostile-mcp-server.mjs` and waits until its tools are known. */
  connect(name: string, ...kind: string[]): Promise<void>;
}

export interface Case {
  name: string;
  prepare?(context: Context): Promise<void>;
  run(context: Context): Promise<void>;
}

/** The digest of a catalog file's preview, which the console reads as a stream. */
export async function previewFile({ server }: Context, text: string): Promise<{ digest: string }> {
  const headers = { "content-type": "application/json" };
  const address = new URL("/api/v1/catalog/preview", server.url);
  const response = await fetch(address, { method: "POST", headers, body: JSON.stringify({ text }) });
  if (!response.ok) throw new Error(`The preview was refused with ${response.status}`);
  return (await response.json()) as { digest: string };
}

export const query = (input: object): string => `?input=${encodeURIComponent(JSON.stringify({ json: input }))}`;
export const swallow = (): undefined => undefined;
