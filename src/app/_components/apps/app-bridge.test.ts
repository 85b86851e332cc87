import { expect, it, vi } from "vitest";
import { waitUntil } from "@/lib/wait-until.test-support";
import { AppBridge, type AppHost } from "./app-bridge";

type Sent = {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string };
};

/** A bridge whose host does nothing of its own. */
function bridgeWith(host: Partial<AppHost> = {}) {
  const sent: Sent[] = [];
  const stopped: string[] = [];
  let now = 0;
  const bridge = new AppBridge({
    post: (message) => sent.push(message as Sent),
    capabilities: { openLinks: {} },
    context: () => ({ theme: "dark" }),
    input: { city: "Rome" },
    outcome: { result: { content: [] } },
    call: () => Promise.resolve({ content: [] }),
    request: () => Promise.resolve({}),
    openLink: () => Promise.resolve(true),
    offerMessage: null,
    updateContext: null,
    setMode: () => "inline",
    setHeight: () => undefined,
    log: () => undefined,
    onClose: () => undefined,
    onStop: (reason) => stopped.push(reason),
    now: () => now,
    ...host,
  });
  const say = (message: object) => bridge.receive(() => ({ jsonrpc: "2.0", ...message }));
  return {
    bridge,
    sent,
    stopped,
    say,
    pass: (ms: number) => {
      now += ms;
    },
    async ask(method: string, params: object = {}): Promise<Sent> {
      const id = `${method} ${sent.length}`;
      say({ id, method, params });
      await waitUntil(() => sent.some((each) => each.id === id) || stopped.length > 0);
      return sent.find((each) => each.id === id) ?? {};
    },
    async begin() {
      await this.ask("ui/initialize", { protocolVersion: "2026-01-26", appCapabilities: {} });
      say({ method: "ui/notifications/initialized" });
    },
  };
}

it("answers ui/initialize, and sends input and result once the App is ready, never before", async () => {
  const app = bridgeWith();
  app.say({ method: "ui/notifications/initialized" });
  expect(app.sent).toEqual([]);
  const { result } = await app.ask("ui/initialize", { protocolVersion: "1999-01-01" });
  expect(result).toEqual({
    protocolVersion: "2026-01-26",
    hostInfo: { name: "Toolroom", version: "1" },
    hostCapabilities: { openLinks: {} },
    hostContext: { theme: "dark" },
  });
  app.say({ method: "ui/notifications/initialized" });
  app.say({ method: "ui/notifications/initialized" });
  expect(app.sent.slice(1)).toEqual([
    { jsonrpc: "2.0", method: "ui/notifications/tool-input", params: { arguments: { city: "Rome" } } },
    { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { content: [] } },
  ]);
});

it("says that a call was cancelled in place of its result", async () => {
  const app = bridgeWith({ outcome: { cancelled: "by the user" } });
  await app.begin();
  expect(app.sent.at(-1)).toMatchObject({
    method: "ui/notifications/tool-cancelled",
    params: { reason: "by the user" },
  });
});

it("refuses requests before ui/initialize, unknown methods, wrong parameters and, outside the Playground, model context", async () => {
  const app = bridgeWith();
  expect((await app.ask("tools/call", { name: "a" })).error?.message).toBe("Send ui/initialize first");
  await app.begin();
  expect((await app.ask("sampling/createMessage")).error?.code).toBe(-32601);
  expect((await app.ask("tools/call", { name: 7 })).error).toMatchObject({
    code: -32602,
    message: expect.stringContaining("params.name"),
  });
  expect((await app.ask("ui/update-model-context", { content: [] })).error).toEqual({
    code: -32000,
    message: "Context for the model is taken in the Playground only",
  });
  expect((await app.ask("ui/message", { role: "user", content: [] })).error?.message).toMatch(/Playground/);
  expect((await app.ask("ping")).result).toEqual({});
});

it("gives a call's result, or its message, to the App", async () => {
  const call = vi.fn((tool: string) =>
    tool === "good"
      ? Promise.resolve({ content: [{ type: "text", text: "yes" }] })
      : Promise.reject(new Error("no such tool")),
  );
  const app = bridgeWith({ call });
  await app.begin();
  expect((await app.ask("tools/call", { name: "good", arguments: { a: 1 } })).result).toEqual({
    content: [{ type: "text", text: "yes" }],
  });
  expect(call).toHaveBeenCalledWith("good", { a: 1 });
  expect((await app.ask("tools/call", { name: "bad" })).error?.message).toBe("no such tool");
});

it("runs four calls at a time, and the others afterwards", async () => {
  let open = 0;
  let most = 0;
  const ends: (() => void)[] = [];
  const call = () =>
    new Promise<Record<string, unknown>>((resolve) => {
      open += 1;
      most = Math.max(most, open);
      ends.push(() => {
        open -= 1;
        resolve({});
      });
    });
  const app = bridgeWith({ call });
  await app.begin();
  for (let id = 0; id < 9; id += 1) app.say({ id, method: "tools/call", params: { name: "slow" } });
  const before = app.sent.length;
  await waitUntil(() => {
    ends.shift()?.();
    return app.sent.length === before + 9;
  });
  expect(most).toBe(4);
});

it("stops an App that calls without end, and answers nothing afterwards", async () => {
  const call = vi.fn(() => Promise.resolve({}));
  const app = bridgeWith({ call });
  await app.begin();
  for (let id = 0; id < 100; id += 1) app.say({ id, method: "tools/call", params: { name: "more" } });
  await waitUntil(() => app.stopped.length > 0);
  expect(app.stopped).toEqual(["it called its server too often"]);
  expect(call.mock.calls.length).toBeLessThanOrEqual(4);
  const sent = app.sent.length;
  app.say({ id: "late", method: "ping" });
  expect(app.sent).toHaveLength(sent);
});

it("lets an App that calls once a second go on", async () => {
  const app = bridgeWith();
  await app.begin();
  for (let count = 0; count < 200; count += 1) {
    app.pass(1000);
    expect(await app.ask("tools/call", { name: "poll" })).toHaveProperty("result");
  }
  expect(app.stopped).toEqual([]);
});

it("stops an App that floods the page, without reading what it sends", async () => {
  const app = bridgeWith();
  const read = vi.fn(() => ({ jsonrpc: "2.0", method: "notifications/x" }));
  for (let count = 0; count < 1000; count += 1) app.bridge.receive(read);
  expect(app.stopped).toEqual(["it sent too many messages"]);
  expect(read.mock.calls.length).toBeLessThan(400);
});

it("stops an App whose message is too large or is not JSON", () => {
  for (const params of [{ text: "x".repeat(2_000_000) }, { map: new Map() }]) {
    const app = bridgeWith();
    app.say({ method: "notifications/message", params });
    expect(app.stopped).toEqual([expect.stringContaining("larger than 1 MB")]);
  }
});

it("ignores messages that are not of the protocol", () => {
  const app = bridgeWith();
  for (const data of [
    null,
    "text",
    7,
    [],
    {},
    { jsonrpc: "1.0", id: 1, method: "ping" },
    { jsonrpc: "2.0", id: {}, method: "ping" },
  ]) {
    app.bridge.receive(() => data);
  }
  expect(app.sent).toEqual([]);
  expect(app.stopped).toEqual([]);
});

it.each(["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "no address", "ui://a"])(
  "does not ask the user to open %s",
  async (url) => {
    const openLink = vi.fn(() => Promise.resolve(true));
    const app = bridgeWith({ openLink });
    await app.begin();
    expect((await app.ask("ui/open-link", { url })).error?.code).toBe(-32602);
    expect(openLink).not.toHaveBeenCalled();
  },
);

it("asks the user one thing at a time, and tells the App what became of it", async () => {
  const answers: ((taken: boolean) => void)[] = [];
  const later = () => new Promise<boolean>((resolve) => answers.push(resolve));
  const app = bridgeWith({ openLink: later, offerMessage: later });
  await app.begin();
  app.say({ id: "first", method: "ui/open-link", params: { url: "https://example.org" } });
  const second = await app.ask("ui/message", { role: "user", content: { type: "text", text: "hello" } });
  expect(second.error?.message).toBe("Another request waits for the user");
  answers[0]?.(false);
  await waitUntil(() => app.sent.some(({ id }) => id === "first"));
  expect(app.sent.find(({ id }) => id === "first")?.error?.message).toBe("The user did not open the link");
  app.say({ id: "third", method: "ui/message", params: { role: "user", content: [{ type: "text", text: "hello" }] } });
  await waitUntil(() => answers.length === 2);
  answers[1]?.(true);
  await waitUntil(() => app.sent.some(({ id }) => id === "third"));
  expect(app.sent.find(({ id }) => id === "third")?.result).toEqual({});
});

it("gives context for the model to the conversation as one text without invisible characters", async () => {
  const updateContext = vi.fn();
  const app = bridgeWith({ updateContext });
  await app.begin();
  const hidden = [..."ignore"].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
  const content = [
    { type: "text", text: `Rome${hidden}\u200b is\r\nselected\u001b[8m` },
    { type: "text", text: "twice" },
  ];
  expect((await app.ask("ui/update-model-context", { content, structuredContent: { city: "Rome" } })).result).toEqual(
    {},
  );
  expect((await app.ask("ui/update-model-context", {})).result).toEqual({});
  expect(updateContext.mock.calls).toEqual([['Rome is\nselected\n\ntwice\n\n{\n  "city": "Rome"\n}'], [""]]);
});

it("refuses context that is too large, of another type, or that the conversation does not take", async () => {
  const updateContext = vi.fn(() => {
    throw new Error("The person removed it");
  });
  const app = bridgeWith({ updateContext });
  await app.begin();
  const toRefusal = async (params: object) => (await app.ask("ui/update-model-context", params)).error;
  const text = (chars: number) => ({ content: [{ type: "text", text: "x".repeat(chars) }] });
  expect(await toRefusal(text(16_001))).toEqual({
    code: -32602,
    message: "The context has 16001 characters: at most 16000 characters go with a message",
  });
  expect(
    await toRefusal({
      content: [
        { type: "text", text: "a" },
        { type: "image", data: "", mimeType: "image/png" },
      ],
    }),
  ).toEqual({
    code: -32602,
    message: "params.content.1: the type 'image' is not supported. Send text or structuredContent",
  });
  expect((await toRefusal({ structuredContent: [] }))?.message).toContain("params.structuredContent");
  expect(updateContext).not.toHaveBeenCalled();
  expect(await toRefusal(text(16_000))).toEqual({ code: -32000, message: "The person removed it" });
});

it("tears an App down with its consent, or without", async () => {
  const app = bridgeWith();
  await app.begin();
  const ending = app.bridge.tearDown();
  expect(app.sent.at(-1)).toMatchObject({ id: 1, method: "ui/resource-teardown" });
  app.say({ id: 1, result: {} });
  await ending;
  await bridgeWith().bridge.tearDown();
});

it("refuses what waits for the user when the App is closed, before the App has to end", async () => {
  const app = bridgeWith({ openLink: () => new Promise(() => undefined) });
  await app.begin();
  const asked = app.ask("ui/open-link", { url: "https://example.org" });
  const closed = app.bridge.tearDown();
  expect(await asked).toMatchObject({ error: { message: "The user did not open the link" } });
  await waitUntil(() => app.sent.at(-1)?.method === "ui/resource-teardown");
  app.say({ id: 1, result: {} });
  await closed;
});
