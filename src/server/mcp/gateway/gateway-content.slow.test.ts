import path from "node:path";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { type GatewayContainer, newDatabaseUrl, startGatewayContainer } from "./gateway-container.test-support";

const OFFERING = path.resolve("e2e/support/mcp-servers/offering.mjs");
const SERVERS: Readonly<Record<string, string[]>> = { left: ["left"], right: ["right", "stateless"] };

let running: GatewayContainer;
beforeAll(async () => {
  running = await startGatewayContainer(await newDatabaseUrl());
  const { servers } = running.container.services;
  for (const [name, args] of Object.entries(SERVERS)) {
    await servers.create(LOCAL_PRINCIPAL, {
      name,
      transport: "stdio",
      command: process.execPath,
      args: [OFFERING, ...args],
    });
    await servers.reconnect(LOCAL_PRINCIPAL, name);
  }
});
afterAll(() => running.stop());

type Asked = Pick<
  OldClient,
  "listResources" | "listResourceTemplates" | "readResource" | "listPrompts" | "getPrompt" | "complete" | "callTool"
> & { close(): Promise<void>; getServerCapabilities(): Record<string, unknown> | undefined };

const INFO = { name: "interop", version: "1" };
const CLIENTS: Readonly<Record<string, (url: string) => Promise<Asked>>> = {
  "the 1.x SDK": async (url) => {
    const client = new OldClient(INFO);
    await client.connect(new OldTransport(new URL(url)));
    return client as Asked;
  },
  "the 2.x SDK with sessions": async (url) => {
    const client = new ModernClient(INFO);
    await client.connect(new ModernTransport(new URL(url)));
    return client as unknown as Asked;
  },
  "the 2.x SDK, stateless": async (url) => {
    const client = new ModernClient(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new ModernTransport(new URL(url)));
    return client as unknown as Asked;
  },
};

const readText = ({ contents }: Awaited<ReturnType<Asked["readResource"]>>): unknown =>
  (contents[0] as { text?: unknown } | undefined)?.text;

describe.each(Object.entries(CLIENTS))("with %s, the gateway", (_name, connect) => {
  let all: Asked;
  beforeAll(async () => {
    all = await connect(running.url);
  });
  afterAll(() => all.close());

  it("declares what the servers of an address have", async () => {
    const shared = { listChanged: true };
    expect(all.getServerCapabilities()).toMatchObject({
      resources: { ...shared, subscribe: true },
      prompts: shared,
      completions: {},
    });
  });

  it("keeps URIs that one server offers, and maps the others, also for reads", async () => {
    const uris = (await all.listResources()).resources.map(({ uri }) => uri);
    expect(uris).toEqual(
      expect.arrayContaining([
        "left://only",
        "right://only",
        "toolroom://left/shared://document",
        "ui://toolroom/left/panel",
      ]),
    );
    expect(uris).not.toContain("shared://document");
    expect(readText(await all.readResource({ uri: "left://only" }))).toBe("only here");
    const mapped = await all.readResource({ uri: "toolroom://right/shared://document" });
    expect(mapped.contents[0]).toMatchObject({ uri: "toolroom://right/shared://document", text: "shared, from right" });
    await expect(all.readResource({ uri: "shared://document" })).rejects.toThrow(/several servers offer it/);
  });

  it("finds the server of a template's expansion, mapped or not", async () => {
    const templates = (await all.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate);
    expect(templates).toEqual([
      "left://item/{id}",
      "toolroom://left/shared://item/{id}",
      "right://item/{id}",
      "toolroom://right/shared://item/{id}",
    ]);
    expect(readText(await all.readResource({ uri: "right://item/7" }))).toBe("item of right");
    expect(readText(await all.readResource({ uri: "toolroom://left/shared://item/7" }))).toBe("item of left");
  });

  it("maps URIs in the results of tools and prompts, and serves those that no list has", async () => {
    const { content } = await all.callTool({ name: "left__links", arguments: {} });
    expect(content).toMatchObject([
      { type: "resource_link", uri: "left://hidden" },
      { type: "resource", resource: { uri: "toolroom://left/shared://document" } },
    ]);
    expect(readText(await all.readResource({ uri: "left://hidden" }))).toBe("hidden");
    const prompt = await all.getPrompt({ name: "right__greet", arguments: { who: "Ada" } });
    expect(prompt.messages).toMatchObject([
      { content: { text: "Hello Ada" } },
      { content: { resource: { uri: "toolroom://right/shared://document" } } },
    ]);
  });

  it("names prompts like tools, completes their arguments and those of templates", async () => {
    const { prompts } = await all.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(expect.arrayContaining(["left__greet", "right__greet"]));
    const argument = { name: "who", value: "A" };
    const byPrompt = await all.complete({ ref: { type: "ref/prompt", name: "left__greet" }, argument });
    expect(byPrompt.completion.values).toEqual(["left greet A"]);
    const template = "toolroom://right/shared://item/{id}";
    const byTemplate = await all.complete({ ref: { type: "ref/resource", uri: template }, argument });
    expect(byTemplate.completion.values).toEqual(["right shared://item/{id} A"]);
  });

  it("passes the caller's _meta to the server and the server's back", async () => {
    const read = await all.readResource({
      uri: "right://only",
      _meta: { traceparent: "00-1-2-01", "example.org/key": [1], progressToken: 5 } as never,
    });
    expect(read._meta).toMatchObject({ given: { traceparent: "00-1-2-01", "example.org/key": [1] } });
    expect(read.contents[0]?._meta).toEqual({ own: true });
  });

  it("refuses what no server offers, and relays a server's refusal", async () => {
    await expect(all.readResource({ uri: "nobody://has/this" })).rejects.toThrow(/not found/i);
    await expect(all.readResource({ uri: "toolroom://left/left://missing" })).rejects.toThrow(/not found/i);
    await expect(all.getPrompt({ name: "left__missing" })).rejects.toThrow(/not found/i);
  });

  it("keeps every URI at the address of one server, and its own names on request", async () => {
    const one = await connect(`${running.url}/left?names=plain`);
    const uris = (await one.listResources()).resources.map(({ uri }) => uri);
    expect(uris).toEqual(expect.arrayContaining(["left://only", "shared://document", "ui://panel"]));
    expect(readText(await one.readResource({ uri: "shared://document" }))).toBe("shared, from left");
    expect((await one.getPrompt({ name: "greet", arguments: { who: "you" } })).messages).toHaveLength(2);
    await one.close();
  });

  it("gives hosts of apps the user interface of a tool at every address", async () => {
    for (const [address, uri, body] of [
      ["", "ui://toolroom/right/panel", "<p>right</p>"],
      ["/left", "ui://panel", "<p>left</p>"],
      ["?tools=right__show", "ui://toolroom/right/panel", "<p>right</p>"],
    ] as const) {
      const client = (await connect(running.url + address)) as Asked & { listTools: OldClient["listTools"] };
      const shows = (await client.listTools()).tools.filter(({ name }) => name.endsWith("show"));
      const named = shows.map(({ _meta }) => (_meta as { ui: { resourceUri: string } }).ui.resourceUri);
      expect([address, named]).toEqual([address, expect.arrayContaining([uri])]);
      expect([address, readText(await client.readResource({ uri }))]).toEqual([address, body]);
      await client.close();
    }
  });

  it("serves no other resources and no prompts where an address names tools", async () => {
    const few = await connect(`${running.url}?tools=right__show`);
    expect(few.getServerCapabilities()).toMatchObject({ resources: {} });
    expect(few.getServerCapabilities()).not.toHaveProperty("prompts");
    expect((await few.listResources()).resources).toEqual([]);
    await expect(few.readResource({ uri: "right://only" })).rejects.toThrow(/not found/i);
    await few.close();
  });
});

type Listening = Asked & {
  subscribeResource: OldClient["subscribeResource"];
  unsubscribeResource: OldClient["unsubscribeResource"];
  listen?: ModernClient["listen"];
  fallbackNotificationHandler?: (notification: { method: string; params?: unknown }) => Promise<void>;
};

describe.each(Object.entries(CLIENTS))("with %s, changes", (name, connect) => {
  async function listening(address = "") {
    const client = (await connect(running.url + address)) as Listening;
    const heard: { method: string; params?: Record<string, unknown> }[] = [];
    client.fallbackNotificationHandler = async (notification) => void heard.push(notification as never);
    const of = (method: string) => heard.filter((each) => each.method === `notifications/${method}`);
    return { client, of, uris: () => of("resources/updated").map(({ params }) => params?.uri) };
  }
  const subscribe = async (client: Listening, uri: string): Promise<() => Promise<unknown>> => {
    if (!name.includes("stateless")) {
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    }
    const listens = { resourceSubscriptions: [uri], resourcesListChanged: true, promptsListChanged: true };
    const subscription = await client.listen?.(listens);
    return async () => subscription?.close();
  };
  /** Upstream subscriptions of a stream begin after its acknowledgment. */
  const touchUntil = (client: Listening, server: string, uri: string, heard: () => boolean) =>
    waitUntil(async () => {
      await client.callTool({ name: `${server}__touch`, arguments: { uri } });
      return heard();
    });

  it.each(["left", "right"])(
    "of a subscribed resource of %s are told by the client's URI, until unsubscribed",
    async (server) => {
      const { client, uris } = await listening();
      const unsubscribe = await subscribe(client, `toolroom://${server}/shared://document`);
      await touchUntil(client, server, "shared://document", () => uris().length > 0);
      expect(new Set(uris())).toEqual(new Set([`toolroom://${server}/shared://document`]));
      await unsubscribe();
      await client.callTool({ name: `${server}__touch`, arguments: { uri: "shared://document" } });
      const other = await listening(`/${server}`);
      const end = await subscribe(other.client, "shared://document");
      const before = uris().length;
      await touchUntil(other.client, server, "shared://document", () => other.uris().length > 0);
      expect(uris().slice(before)).toEqual([]);
      await end();
      await client.close();
      await other.client.close();
    },
  );

  it("of a server's lists are told where its resources and prompts are served, and nowhere else", async () => {
    const { client, of } = await listening();
    const other = await listening("/left");
    const ends = [await subscribe(client, "right://only"), await subscribe(other.client, "left://only")];
    const opened = [client, other.client].map((each) => (each as unknown as OldClient).listTools());
    await Promise.all(opened);
    await client.callTool({ name: "right__grow", arguments: {} });
    await waitUntil(() => of("resources/list_changed").length > 0 && of("prompts/list_changed").length > 0);
    expect((await client.listPrompts()).prompts.map((prompt) => prompt.name)).toContain("right__later");
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain("right://grown");
    expect(other.of("prompts/list_changed")).toEqual([]);
    for (const end of ends) await end();
    await client.close();
    await other.client.close();
  });
});

describe("subscriptions and log levels", () => {
  it("are shared by clients, and given to the server again after a reconnect", async () => {
    const uri = "left://only";
    const connect = async () => (await CLIENTS["the 1.x SDK"]?.(running.url)) as Listening;
    const one = await connect();
    const other = await connect();
    const heard: unknown[] = [];
    other.fallbackNotificationHandler = async ({ method }) => void (method.endsWith("updated") && heard.push(method));
    await one.subscribeResource({ uri });
    await other.subscribeResource({ uri });
    await ((one as unknown as OldClient).transport as OldTransport).terminateSession();
    await one.close();
    await running.container.services.servers.reconnect(LOCAL_PRINCIPAL, "left");
    await waitUntil(async () => {
      await other.callTool({ name: "left__touch", arguments: { uri } });
      return heard.length > 0;
    });
    await other.unsubscribeResource({ uri });
    await waitUntil(async () => {
      const { content } = await other.callTool({ name: "left__touch", arguments: { uri } });
      return (content as { text: string }[])[0]?.text === "";
    });
    await other.close();
  });

  it("reach the server, whose messages outside of calls go to the clients that asked for their level", async () => {
    const client = (await CLIENTS["the 1.x SDK"]?.(running.url)) as Listening & Pick<OldClient, "setLoggingLevel">;
    const messages: unknown[] = [];
    const others = { quiet: "", strict: "", elsewhere: "/right" };
    const heard: string[] = [];
    const listening = await Promise.all(
      Object.entries(others).map(async ([name, address]) => {
        const other = (await CLIENTS["the 1.x SDK"]?.(running.url + address)) as typeof client;
        other.fallbackNotificationHandler = async ({ method }) =>
          void (method === "notifications/message" && heard.push(name));
        if (name !== "quiet") await other.setLoggingLevel(name === "strict" ? "critical" : "debug");
        return other;
      }),
    );
    client.fallbackNotificationHandler = async ({ method, params }) =>
      void (method === "notifications/message" && messages.push(params));
    const lastMessage = async () =>
      (await running.container.services.servers.log("left")).findLast(({ stream }) => stream === "notification")?.seq;
    // The server sends its message after the call; what arrives while a call runs is that call's.
    const logLater = async (): Promise<void> => {
      const before = await lastMessage();
      await client.callTool({ name: "left__log_later", arguments: {} });
      await waitUntil(async () => (await lastMessage()) !== before);
    };
    const warning = (data: string) => ({ level: "warning", logger: "left", data });
    await client.setLoggingLevel("notice");
    await logLater();
    await client.setLoggingLevel("critical");
    await logLater();
    await client.setLoggingLevel("debug");
    await logLater();
    await waitUntil(() => messages.length > 1);
    expect(messages).toEqual([warning("notice"), warning("debug")]);
    // No message of other levels and addresses has come so far, and the next one reaches the client that wants it now.
    await listening[1]?.setLoggingLevel("info");
    await logLater();
    await waitUntil(() => heard.length > 0 && messages.length > 2);
    expect(heard).toEqual(["strict"]);
    await Promise.all([client, ...listening].map((other) => other.close()));
  });
});

describe("reads and prompt gets", () => {
  it("are recorded with their kind and the server's own words, listed by kind, replayed, and in no figures of tools", async () => {
    const { executions, content } = running.container.services;
    const before = (await executions.overview(1, "UTC")).totals.calls;
    const client = await CLIENTS["the 1.x SDK"]?.(running.url);
    await client?.readResource({ uri: "toolroom://left/shared://document" });
    await client?.getPrompt({ name: "left__greet", arguments: { who: "Bob" } });
    await client?.close();
    const list = async (kind: "resource" | "prompt") =>
      (await executions.list({ kind: [kind] }, undefined, 1)).items[0];
    const read = await list("resource");
    expect(read).toMatchObject({
      toolName: "left resources/read",
      implementationType: "resource",
      source: "gateway",
      argumentsPreview: '{"uri":"shared://document"}',
    });
    const detail = await executions.get(read?.id ?? "");
    expect(detail).toMatchObject({ status: "succeeded", serverName: "left", client: "interop/1" });
    expect(JSON.parse(detail.resultText ?? "")).toMatchObject({ contents: [{ uri: "shared://document" }] });
    expect(await list("prompt")).toMatchObject({
      argumentsPreview: '{"name":"greet","arguments":{"who":"Bob"}}',
      status: "succeeded",
    });
    const replay = await executions.replay(LOCAL_PRINCIPAL, read?.id ?? "", { waitMs: 5000 });
    expect(replay).toMatchObject({ source: "replay", status: "succeeded", resultText: detail.resultText });
    const { text, executionId } = await content.readResource(LOCAL_PRINCIPAL, "left", "left://only");
    expect(JSON.parse(text)).toMatchObject({ contents: [{ text: "only here" }] });
    expect(await executions.get(executionId)).toMatchObject({ source: "console", implementationType: "resource" });
    expect((await executions.overview(1, "UTC")).totals.calls).toBe(before);
    expect((await executions.facets()).tools.filter((name) => name.includes(" "))).toEqual([]);
    expect(
      (await executions.list({ kind: ["tool"] }, undefined, 100)).items.map(({ toolName }) => toolName),
    ).not.toContain("left resources/read");
  });

  it("pass a result of 20 MB on whole, and store its beginning", async () => {
    const client = await CLIENTS["the 1.x SDK"]?.(`${running.url}/left`);
    const read = await client?.readResource({ uri: "big://blob" });
    const [content] = (read?.contents ?? []) as { blob?: string }[];
    expect(content?.blob).toHaveLength(20 * 1024 * 1024);
    await client?.close();
    const [stored] = (await running.container.services.executions.list({ kind: ["resource"] }, undefined, 1)).items;
    expect(stored?.resultBytes).toBeGreaterThan(20 * 1024 * 1024);
    expect(stored?.storedBytes).toBeLessThanOrEqual(4_194_304);
  });

  it("of a server whose pages never end stop at a limit, and the lists of the others are complete", async () => {
    const { servers } = running.container.services;
    const args = [OFFERING, "endless"];
    await servers.create(LOCAL_PRINCIPAL, { name: "endless", transport: "stdio", command: process.execPath, args });
    await servers.reconnect(LOCAL_PRINCIPAL, "endless");
    const client = await CLIENTS["the 1.x SDK"]?.(running.url);
    const uris = (await client?.listResources())?.resources.map(({ uri }) => uri);
    expect(uris).toEqual(expect.arrayContaining(["endless://only", "left://only", "right://only"]));
    await client?.close();
    await servers.delete(LOCAL_PRINCIPAL, "endless");
  });

  it("end a failed read as failed, with the server's error for the client", async () => {
    const client = await CLIENTS["the 2.x SDK, stateless"]?.(running.url);
    await expect(client?.readResource({ uri: "left://item" })).rejects.toMatchObject({ code: -32602 });
    await client?.close();
  });
});
