import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createForeignHttp } from "../../../../../e2e/support/mcp-servers/foreign.mjs";
import { LOCAL_PRINCIPAL } from "../../../../lib/contract/access";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { ANY_RESULT } from "../../fast-path/sdk-results";
import { JSON_HEADERS } from "../gateway.test-support";
import {
  type GatewayContainer,
  type Message,
  newDatabaseUrl,
  rawClient,
  startGatewayContainer,
} from "../gateway-container.test-support";

const FOREIGN = path.resolve("e2e/support/mcp-servers/foreign.mjs");
const EXTENSION = "com.example/jobs";
/** Each declares the extension, over every way to reach a server and in both of its eras. */
const STDIO: Readonly<Record<string, string[]>> = { older: [], experiment: ["experimental"], newer: ["stateless"] };
const DECLARING = [...Object.keys(STDIO), "web"];
const PROTOCOLS = ["2025-06-18", "2025-11-25", "2026-07-28"] as const;

let running: GatewayContainer;
let web: Server;
beforeAll(async () => {
  web = createForeignHttp([]);
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  running = await startGatewayContainer(await newDatabaseUrl());
  const { servers } = running.container.services;
  for (const [name, args] of Object.entries({ ...STDIO, undeclared: ["undeclared"] })) {
    const command = process.execPath;
    await servers.create(LOCAL_PRINCIPAL, { name, transport: "stdio", command, args: [FOREIGN, ...args] });
  }
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/mcp`;
  await servers.create(LOCAL_PRINCIPAL, { name: "web", transport: "http", url });
  for (const name of [...DECLARING, "undeclared"]) await servers.reconnect(LOCAL_PRINCIPAL, name);
});
afterAll(async () => {
  await running.stop();
  web.closeAllConnections();
  await new Promise((resolve) => web.close(resolve));
});

const addressOf = (server: string): string => `${running.url}/${server}`;
const last = (messages: Message[]): Message => messages.at(-1) as Message;

const COMBINATIONS = DECLARING.flatMap((server) => PROTOCOLS.map((protocol) => [server, protocol] as const));

describe.each(COMBINATIONS)("the extension of server '%s', for a client of %s", (server, protocol) => {
  it("is asked with the client's params, and its answer comes back whole", async () => {
    const client = await rawClient(addressOf(server), protocol);
    const { result } = last(await client.ask("jobs/submit", { job: { id: 7 }, empty: null, __proto__x: [] }));
    expect(result).toMatchObject({
      accepted: { job: { id: 7 }, __proto__x: [] },
      nested: { list: [1, null, "x"] },
    });
  });

  it("refuses with its own code, message and data", async () => {
    const client = await rawClient(addressOf(server), protocol);
    const { error } = last(await client.ask("jobs/fail", { job: 12 }));
    expect(error).toEqual({ code: 4711, message: "no such job", data: { job: 12 } });
  });

  it("answers -32601 for a method that it does not have", async () => {
    const client = await rawClient(addressOf(server), protocol);
    expect(last(await client.ask("jobs/none"))).toMatchObject({ error: { code: -32_601 } });
  });

  it("is recorded among the server's messages", async () => {
    const client = await rawClient(addressOf(server), protocol);
    const job = `recorded ${protocol}`;
    await client.ask("jobs/submit", { job });
    const messages = await running.container.services.servers.messages(server);
    const about = messages.filter(({ text }) => text.includes(job)).map(({ direction }) => direction);
    expect(about).toEqual(["sent", "received"]);
  });
});

describe("an address", () => {
  it.each(["undeclared", null])("has no methods of extensions where none is declared (%s)", async (server) => {
    for (const protocol of PROTOCOLS) {
      const client = await rawClient(server === null ? running.url : addressOf(server), protocol);
      const answer = last(await client.ask("jobs/submit", { job: "undeclared" }));
      expect(answer).toMatchObject({ error: { code: -32_601 } });
    }
    const messages = await running.container.services.servers.messages("undeclared");
    expect(messages.filter(({ text }) => text.includes('"undeclared"}'))).toEqual([]);
  });

  it("relays none of the protocol's own methods that its server does not declare", async () => {
    const client = await rawClient(addressOf("older"), "2025-11-25");
    for (const method of ["prompts/list", "sampling/createMessage", "tasks/update"]) {
      expect(last(await client.ask(method))).toMatchObject({ error: { code: -32_601 } });
    }
  });

  it("refuses an answer that is larger than what is relayed, and goes on", async () => {
    const client = await rawClient(addressOf("older"), "2025-11-25");
    const { error } = last(await client.ask("jobs/huge", { chars: 5_000_000 }));
    const message = expect.stringContaining("longer than the 4194304 characters");
    expect(error).toMatchObject({ code: -32_603, message });
    expect(last(await client.ask("jobs/submit", {}))).toHaveProperty("result");
  });

  it("lets only so many requests of one user wait for a server", async () => {
    const client = await connect("older", {});
    const controller = new AbortController();
    const hanging = Array.from({ length: 20 }, () => ask(client, "jobs/hang", {}, controller.signal));
    const settled = Promise.allSettled(hanging);
    await waitUntil(async () => {
      const error = await ask(client, "jobs/submit").then(
        () => null,
        (thrown: Error) => thrown.message,
      );
      expect(error).toContain("20 requests already wait for server 'older'");
    });
    controller.abort();
    await settled;
    await waitUntil(async () => expect(await ask(client, "jobs/submit")).toHaveProperty("accepted"));
    await client.close();
  });
});

async function connect(server: string, extensions: Record<string, Record<string, never>>): Promise<Client> {
  const client = new Client({ name: "knows", version: "1" }, { capabilities: { extensions } });
  await client.connect(new StreamableHTTPClientTransport(new URL(addressOf(server))));
  return client;
}

async function ask(
  client: Client,
  method: string,
  params = {},
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  const request = { method, params } as never;
  return (await client.request(request, ANY_RESULT, signal === undefined ? {} : { signal })) as Record<string, unknown>;
}

it("a stateless client hears the extension's notifications on a stream whose filter names one", async () => {
  const client = await rawClient(addressOf("older"), "2026-07-28");
  const { headers, message } = buildListen({ jobs: true });
  const ended = new AbortController();
  const body = JSON.stringify(message);
  const response = await fetch(addressOf("older"), { method: "POST", headers, body, signal: ended.signal });
  const heard: string[] = [];
  const reading = (async () => {
    for await (const chunk of response.body ?? []) heard.push(Buffer.from(chunk).toString());
  })().catch(() => undefined);
  await waitUntil(() => expect(heard.join("")).toContain('"notifications":{"jobs":true}'));
  await client.ask("jobs/announce", { job: "streamed" });
  await waitUntil(() => expect(heard.join("")).toMatch(/notifications\/jobs\/changed.*"job":"streamed"/));
  ended.abort();
  await reading;
});

it("a server that announces without end reaches clients a bounded number of times, and goes on", async () => {
  const client = await connect("older", { [EXTENSION]: {} });
  const heard: unknown[] = [];
  client.fallbackNotificationHandler = async ({ params }) => void heard.push(params?.at);
  await waitUntil(async () => {
    await ask(client, "jobs/announce", { at: -1 });
    return heard.length > 0;
  });
  await ask(client, "jobs/flood", { count: 5000 });
  expect(await ask(client, "jobs/submit")).toHaveProperty("accepted");
  expect(heard.filter((at) => at !== -1).length).toBeLessThan(5000);
  const lines = running.container.services.servers.log("older");
  expect(JSON.stringify(await lines)).toContain("the server sends too many notifications in a second");
  await client.close();
});

/** A `subscriptions/listen` with a filter that no revision of the protocol has. */
function buildListen(notifications: object) {
  const meta = "io.modelcontextprotocol/";
  const _meta = {
    [`${meta}protocolVersion`]: "2026-07-28",
    [`${meta}clientInfo`]: { name: "raw", version: "1" },
    [`${meta}clientCapabilities`]: { extensions: { [EXTENSION]: {} } },
  };
  const method = "subscriptions/listen";
  const headers = { ...JSON_HEADERS, "mcp-protocol-version": "2026-07-28", "mcp-method": method };
  return { headers, message: { jsonrpc: "2.0", id: "listening", method, params: { notifications, _meta } } };
}

describe.each(["older", "web"])("a client of server '%s' that knows the extension", (server) => {
  it("finds it declared", async () => {
    const client = await connect(server, { [EXTENSION]: {} });
    expect(client.getServerCapabilities()).toMatchObject({ extensions: { [EXTENSION]: { version: 1 } } });
    await client.close();
  });

  it("sends and receives its notifications", async () => {
    const client = await connect(server, { [EXTENSION]: {} });
    const heard: unknown[] = [];
    client.fallbackNotificationHandler = async ({ method, params }) => void heard.push([method, params]);
    const job = `job of ${server}`;
    // The client opens its stream after it has connected.
    await waitUntil(async () => {
      await ask(client, "jobs/announce", { job });
      return heard.length > 0;
    });
    expect(heard[0]).toEqual(["notifications/jobs/changed", { job }]);
    await client.notification({ method: "notifications/jobs/read", params: { job } } as never);
    await waitUntil(async () => JSON.stringify(await ask(client, "jobs/seen")).includes(job));
    await client.close();
  });

  it("answers requests of its server, which one that does not know it never gets", async () => {
    const knowing = await connect(server, { [EXTENSION]: {} });
    knowing.fallbackRequestHandler = async ({ method, params }) => ({ method, job: params?.job, sure: true });
    expect(await ask(knowing, "jobs/confirm", { job: 3 })).toEqual({
      answer: { method: "jobs/confirm_with_user", job: 3, sure: true },
    });
    const other = await connect(server, { "com.example/other": {} });
    let wasAsked = false;
    other.fallbackRequestHandler = async () => {
      wasAsked = true;
      return {};
    };
    expect(await ask(other, "jobs/confirm", { job: 4 })).toMatchObject({ answer: { error: { code: -32_601 } } });
    expect(wasAsked).toBe(false);
    await Promise.all([knowing.close(), other.close()]);
  });

  it("gets no notification that is larger than what is relayed, and those after it", async () => {
    const client = await connect(server, { [EXTENSION]: {} });
    const heard: string[] = [];
    client.fallbackNotificationHandler = async ({ params }) => void heard.push(String(params?.job));
    await waitUntil(async () => {
      await ask(client, "jobs/announce", { job: "large", filler: "x".repeat(100_000) });
      await ask(client, "jobs/announce", { job: "small" });
      return heard.length > 0;
    });
    expect(new Set(heard)).toEqual(new Set(["small"]));
    await client.close();
  });
});
