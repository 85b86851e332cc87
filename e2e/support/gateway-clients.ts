import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { authorize } from "./accounts";

export interface GatewayClient {
  listNames(): Promise<string[]>;
  call(
    name: string,
    args: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<{ content: unknown; isError?: boolean }>;
  /** The text of a resource. */
  read(uri: string): Promise<unknown>;
  close(): Promise<void>;
}

const readText = ({ contents }: { contents: object[] }): unknown =>
  (contents[0] as { text?: unknown } | undefined)?.text;

/** No test here depends on how long a client of the 1.x SDK waits. */
const TIMEOUT_MS = 20_000;

async function connectFirst(url: string, name: string): Promise<GatewayClient> {
  const client = new FirstClient({ name, version: "1.0.0" });
  await client.connect(new FirstTransport(new URL(url), { requestInit: { headers: authorize(url) } }) as never);
  return {
    listNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: (tool, args, signal) =>
      client.callTool({ name: tool, arguments: args }, undefined, {
        timeout: TIMEOUT_MS,
        ...(signal && { signal }),
      }) as never,
    read: async (uri) => readText(await client.readResource({ uri })),
    close: () => client.close(),
  };
}

async function connectSecond(url: string, name: string, mode: "legacy" | "auto"): Promise<GatewayClient> {
  const client = new Client({ name, version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: authorize(url) } }));
  return {
    listNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: (tool, args, signal) =>
      client.callTool({ name: tool, arguments: args }, { timeout: TIMEOUT_MS, ...(signal && { signal }) }) as never,
    read: async (uri) => readText(await client.readResource({ uri })),
    close: () => client.close(),
  };
}

/** Real clients, as programs are built with: both generations of the SDK, and both eras of the protocol. */
export const GATEWAY_CLIENTS: readonly {
  name: string;
  about: string;
  /** @param as another name than its own */
  connect: (mcpUrl: string, as?: string) => Promise<GatewayClient>;
}[] = [
  { name: "first-sdk", about: "a 1.x client", connect: (url, as = "first-sdk") => connectFirst(url, as) },
  {
    name: "sessions",
    about: "a 2.x client with a session",
    connect: (url) => connectSecond(url, "sessions", "legacy"),
  },
  { name: "stateless", about: "a 2.x client without one", connect: (url) => connectSecond(url, "stateless", "auto") },
];
