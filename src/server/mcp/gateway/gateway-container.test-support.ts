import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { type Container, createContainer } from "../../main/container";
import { readEnv } from "../../main/env";
import { OWN_TOOLS } from "../../main/own-tools";
import { placeEmptyDatabase } from "../../platform/db/database.test-support";
import { JSON_HEADERS } from "./gateway.test-support";

/** A whole server without its pages: the container behind an HTTP server that serves only the gateway. */
export interface GatewayContainer {
  container: Container;
  url: string;
  port: number;
  stop(): Promise<void>;
}

export async function newDatabaseUrl(): Promise<string> {
  const filePath = path.join(await mkdtemp(path.join(os.tmpdir(), "toolroom-gateway-")), "test.db");
  await placeEmptyDatabase(filePath);
  return `file:${filePath}`;
}

export async function startGatewayContainer(
  databaseUrl: string,
  port = 0,
  variables: Readonly<Record<string, string>> = {},
): Promise<GatewayContainer> {
  const container = await createContainer(
    readEnv({
      DATABASE_URL: databaseUrl,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
      TOOLROOM_SHUTDOWN_GRACE_MS: "50",
      TOOLROOM_FAST_PATH: process.env.TOOLROOM_FAST_PATH,
      ...variables,
    }),
    { ownTools: OWN_TOOLS },
  );
  const server = createServer((request, response) => {
    container.admitRequest(request);
    void container.gateway.handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  return {
    container,
    url: `http://127.0.0.1:${address.port}/mcp`,
    port: address.port,
    async stop() {
      container.beginStop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await container.close();
    },
  };
}

export type Message = Record<string, unknown> & { result?: Record<string, unknown>; error?: Record<string, unknown> };

/** One client of one protocol revision, as messages go over the wire: nothing is checked or stripped. */
export interface RawClient {
  /** Every message that came for the request; the answer is the last. */
  ask(method: string, params?: Record<string, unknown>): Promise<Message[]>;
  /** The body of the last response. */
  body(): string;
  /** The server's description of itself. */
  server: { info: unknown; instructions: unknown };
}

const META = "io.modelcontextprotocol/";

export async function rawClient(
  url: string,
  protocol: "2025-11-25" | "2025-06-18" | "2026-07-28",
  { name: clientName = "raw", token = "", more = {} as Record<string, string> } = {},
): Promise<RawClient> {
  let id = 0;
  let text = "";
  const headers: Record<string, string> = { ...JSON_HEADERS, ...more };
  if (token !== "") headers.authorization = `Bearer ${token}`;
  const client = { name: clientName, version: "1" };
  const stateless = protocol === "2026-07-28";
  const ask: RawClient["ask"] = async (method, params = {}) => {
    id += 1;
    const envelope = {
      [`${META}protocolVersion`]: protocol,
      [`${META}clientInfo`]: client,
      [`${META}clientCapabilities`]: {},
      [`${META}logLevel`]: "debug",
    };
    const sent = stateless ? { ...params, _meta: { ...envelope, ...(params._meta as object) } } : params;
    const named = params.name ?? params.taskId ?? params.uri;
    const name = typeof named === "string" ? { "mcp-name": named } : {};
    const standard = stateless ? { "mcp-protocol-version": protocol, "mcp-method": method, ...name } : {};
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, ...standard } as Record<string, string>,
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params: sent }),
    });
    const session = response.headers.get("mcp-session-id");
    if (session !== null) headers["mcp-session-id"] = session;
    text = await response.text();
    if (!response.headers.get("content-type")?.includes("event-stream")) return [JSON.parse(text)];
    return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
  };
  if (stateless) {
    const { result = {} } = (await ask("server/discover")).at(-1) ?? {};
    const meta = (result._meta ?? {}) as Record<string, unknown>;
    return { ask, body: () => text, server: { info: meta[`${META}serverInfo`], instructions: result.instructions } };
  }
  const params = { protocolVersion: protocol, capabilities: {}, clientInfo: client };
  const { result = {} } = (await ask("initialize", params)).at(-1) ?? {};
  headers["mcp-protocol-version"] = protocol;
  return { ask, body: () => text, server: { info: result.serverInfo, instructions: result.instructions } };
}
