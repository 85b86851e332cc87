import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { onTestFinished } from "vitest";
import type { ConnectionState } from "../../lib/contract/connection-state";
import type { ToolCallResult } from "../../lib/contract/content";
import type { ApiConnectionSettings } from "../engine/mcp-ports";
import { buildContext, openBench } from "../mcp/client/connections.test-support";
import { createOpenApiConnections } from "./openapi-connections";

export type PublicDocument =
  | "github"
  | "stripe"
  | "notion"
  | "apideck-files"
  | "azure-face"
  | "petstore"
  | "petstore-20"
  | "petstore-31";

/** The text of a public document. */
export function publicDocument(name: PublicDocument): string {
  const file = path.join(import.meta.dirname, "fixtures", `${name}.json.br`);
  return brotliDecompressSync(readFileSync(file)).toString("utf8");
}

export interface RecordedRequest {
  method: string;
  /** Path and query as sent. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Answer = (request: RecordedRequest, response: ServerResponse) => void;

/** An API on loopback that records what it is sent; it answers `{}` unless told otherwise. */
export async function startStub(answer: Answer = (_, response) => sendJson(response, 200, {})) {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const recorded = { method, url, headers, body: Buffer.concat(chunks).toString("latin1") };
      requests.push(recorded);
      answer(recorded, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

type Given = Partial<ApiConnectionSettings>;
type BenchOptions = Parameters<typeof openBench>[0];

export function apiSettings(document: unknown, url: string, given: Given = {}): ApiConnectionSettings {
  const text = typeof document === "string" ? document : JSON.stringify(document);
  return {
    name: "api",
    enabled: true,
    protocol: "auto",
    connectTimeoutMs: 60_000,
    roots: [],
    transport: "openapi",
    url,
    headers: {},
    query: {},
    auth: { type: "none" },
    operations: { tags: [], paths: [] },
    outputSchemas: true,
    document: { from: "text", text },
    ...given,
  };
}

/** Connections to APIs that end with the test. */
export function openApiBench(options: BenchOptions = {}) {
  const api = createOpenApiConnections(process.cwd());
  onTestFinished(() => api.close());
  return openBench({ ...options, api: api.create });
}

export interface ConnectedApi {
  state: ConnectionState;
  tools: Record<string, unknown>[];
  bench: ReturnType<typeof openApiBench>;
  call(tool: string, args?: Record<string, unknown>): Promise<ToolCallResult>;
}

/** One API whose document has been read, or has failed to be. */
export async function connectApi(settings: ApiConnectionSettings, options: BenchOptions = {}): Promise<ConnectedApi> {
  const bench = openApiBench(options);
  bench.connections.apply(settings);
  const state = await bench.connections.ready(settings.name);
  const tools = (bench.lists.at(-1)?.tools ?? []) as Record<string, unknown>[];
  const call = (tool: string, args: Record<string, unknown> = {}) =>
    bench.connections.call(settings.name, tool, args, buildContext());
  return { state, tools, bench, call };
}

/** A document with these paths. */
export function buildDocument(paths: Record<string, unknown>, more: Record<string, unknown> = {}) {
  return { openapi: "3.1.0", info: { title: "Sample", version: "1" }, paths, ...more };
}
