import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { SAMPLING_BUDGET, SAMPLING_LIMITS } from "../../../lib/contract/sampling-limits";
import { systemClock } from "../../create-tool-engine";
import { ChatClientError } from "../../engine/agent/chat-ports";
import type { SamplingRequest } from "../../engine/mcp-ports";
import { ScriptedClient, type ScriptedStep } from "../../models/scripted-client.test-support";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../platform/db/database.test-support";
import { AppError } from "../../platform/shared/app-error";
import { createSamplingStore } from "./db/sampling-store";
import { createSamplingService, type SamplingServicePorts } from "./sampling-service";

const MODEL = { mode: "model", provider: "acme", model: "tiny" } as const;
const PARAMS = { messages: [{ role: "user", content: { type: "text", text: "Say hi" } }], maxTokens: 100 };
const IMAGE = { type: "image", mimeType: "image/png", data: "aGk=" };
const NOTHING_SPENT = { call: { requests: 0, tokens: 0 }, server: { requests: 0, tokens: 0, oldestAt: null } };
const never = new AbortController().signal;

let scratch: ScratchDatabase;
beforeAll(async () => {
  scratch = await createScratchDatabase();
});
afterEach(async () => void (await scratch.db.prisma.samplingRequest.deleteMany()));
afterAll(() => scratch.remove());

function start(script: ScriptedStep[] = [], ports: Partial<SamplingServicePorts> = {}) {
  const client = new ScriptedClient(script, { media: ["image/png"] });
  const logged: string[] = [];
  const log = (fields: object | string): void => void logged.push(String(fields));
  const { responder, list } = createSamplingService({
    store: createSamplingStore({ db: scratch.db }),
    openModel: async () => client,
    models: { acceptsMedia: (_, mimeType) => client.acceptsMedia(mimeType) },
    clock: systemClock,
    logger: quietLogger(),
    ...ports,
  });
  const respond = (params: object = PARAMS, given: Partial<SamplingRequest> = {}, signal = never) =>
    responder.respond(
      {
        executionId: "exec_1",
        server: "acme-server",
        actor: LOCAL_OWNER,
        logger: { debug: log, info: log, warn: log, error: log },
        count: 1,
        setting: MODEL,
        paramsText: JSON.stringify(params),
        ...given,
      },
      signal,
    );
  return { client, logged, respond, list: () => list("exec_1") };
}

describe("a sampling request that a model answers", () => {
  it("reaches the model with messages, system prompt, temperature and limits, and is kept with its answer", async () => {
    const usage = { inputTokens: 12, outputTokens: 3 };
    const { client, respond, list, logged } = start([{ text: "Hi there", usage, model: "tiny-2026" }]);
    const params = {
      ...PARAMS,
      messages: [
        ...PARAMS.messages,
        { role: "assistant", content: [{ type: "text", text: "Hm" }] },
        { role: "user", content: IMAGE },
      ],
      systemPrompt: "Be brief",
      temperature: 0.2,
      stopSequences: ["END"],
      modelPreferences: { hints: [{ name: "huge" }] },
    };
    expect(await respond(params)).toEqual({
      role: "assistant",
      content: { type: "text", text: "Hi there" },
      model: "tiny-2026",
      stopReason: "endTurn",
    });
    expect(client.requests[0]).toMatchObject({
      messages: [
        { role: "user", contents: [{ type: "text", text: "Say hi" }] },
        { role: "assistant", contents: [{ type: "text", text: "Hm" }] },
        { role: "user", contents: [{ type: "media", kind: "image", mimeType: "image/png", data: "aGk=", bytes: 2 }] },
      ],
      options: {
        model: "tiny",
        instructions: "Be brief",
        temperature: 0.2,
        maxOutputTokens: 100,
        stopSequences: ["END"],
        requireMedia: true,
      },
    });
    const [record, ...others] = await list();
    expect(others).toEqual([]);
    expect(record).toMatchObject({
      outcome: "answered",
      provider: "acme",
      model: "tiny-2026",
      responseText: "Hi there",
      stopReason: "endTurn",
      error: null,
      inputTokens: 12,
      outputTokens: 3,
      requestText: JSON.stringify(params),
    });
    expect(logged).toEqual(["Sampling request answered by acme / tiny-2026: 12 input and 3 output tokens"]);
  });

  it("gets at most the documented number of tokens", async () => {
    const { client, respond } = start([{ text: "x", finishReason: "length" }]);
    expect(await respond({ ...PARAMS, maxTokens: 1_000_000 })).toMatchObject({ stopReason: "maxTokens" });
    expect(client.requests[0]?.options.maxOutputTokens).toBe(SAMPLING_LIMITS.maxTokens);
  });

  it.each([
    ["one two END three", "one two "],
    ["STOP END", ""],
  ])("ends before the first stop sequence, also with a provider that takes none: %s", async (text, expected) => {
    const { respond } = start([{ text }]);
    expect(await respond({ ...PARAMS, stopSequences: ["", "END", "STOP"] })).toMatchObject({
      content: { text: expected },
      stopReason: "stopSequence",
    });
  });

  it("goes unanswered when the call ends, and the provider's request ends too", async () => {
    const ended = new AbortController();
    let heard: AbortSignal | undefined;
    const { respond, list, logged } = start([
      (_, { signal }) => {
        heard = signal;
        queueMicrotask(() => ended.abort(new Error("the call ended")));
        return { hang: true };
      },
    ]);
    await expect(respond(PARAMS, {}, ended.signal)).rejects.toThrow();
    expect(heard?.aborted).toBe(true);
    expect(await list()).toMatchObject([{ outcome: "cancelled", error: null }]);
    expect(logged).toEqual([]);
  });

  it("is answered although it cannot be recorded", async () => {
    const add = () => Promise.reject(new Error("disk full"));
    const { respond } = start([{ text: "Hi" }], {
      store: { add, list: async () => [], readUsage: async () => NOTHING_SPENT },
    });
    expect(await respond()).toMatchObject({ content: { text: "Hi" } });
  });
});

describe("a sampling request that fails", () => {
  const text = (content: object) => ({ ...PARAMS, messages: [{ role: "user", content }] });
  it.each([
    [
      "audio that the provider does not take",
      text({ ...IMAGE, type: "audio", mimeType: "audio/wav" }),
      /audio content of type audio\/wav/,
    ],
    ["an image of the model's own", { ...PARAMS, messages: [{ role: "assistant", content: IMAGE }] }, /image content/],
    [
      "content of another kind",
      text({ type: "tool_use", id: "1", name: "x", input: {} }),
      /messages\[0\].content\[0\].*must be text/,
    ],
    ["tools", { ...PARAMS, tools: [] }, /tools is not supported/],
    ["no messages", { ...PARAMS, messages: [] }, /messages/],
    ["no limit of tokens", { ...PARAMS, maxTokens: undefined }, /maxTokens/],
  ])("names what is wrong with %s, asks no model and is kept", async (_, params, message) => {
    const { client, respond, list, logged } = start([{ text: "never" }]);
    await expect(respond(params)).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(message) });
    expect(client.requests).toEqual([]);
    expect(await list()).toMatchObject([{ outcome: "failed", error: expect.stringMatching(message) }]);
    expect(logged).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    [
      "an unknown provider",
      () => Promise.reject(new AppError("NOT_FOUND", "Model provider 'acme' not found")),
      /'acme' not found/,
    ],
    [
      "a provider that refuses",
      async () => new ScriptedClient([{ error: new ChatClientError("auth", "Acme requires an API key") }]),
      /Acme requires an API key/,
    ],
    [
      "a limit that is used",
      async () => new ScriptedClient([{ error: new ChatClientError("budget", "The rule 'Day' allows $1") }]),
      /The rule 'Day' allows/,
    ],
    [
      "an empty response",
      async () => new ScriptedClient([{ text: "", finishReason: "length" as const }]),
      /empty response \(length\)/,
    ],
  ] as const)("tells the server of %s", async (_, openModel, message) => {
    const { respond, list } = start([], { openModel });
    await expect(respond()).rejects.toMatchObject({ code: -32603, message: expect.stringMatching(message) });
    expect(await list()).toMatchObject([{ outcome: "failed", provider: "acme", model: "tiny" }]);
  });

  it("ends at the time limit", async () => {
    const { respond } = start([{ hang: true }], { timeoutMs: 1 });
    await expect(respond()).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("No answer within"),
    });
  });

  it("is the one after the last that a call may make; only the first of those is kept", async () => {
    const { client, respond, list } = start([{ text: "never" }]);
    for (const over of [1, 2, 3]) {
      const asked = respond(PARAMS, { count: SAMPLING_BUDGET.requestsPerCall + over });
      await expect(asked).rejects.toMatchObject({ code: -32000, message: expect.stringContaining("at most 10") });
    }
    expect(client.requests).toEqual([]);
    expect(await list()).toHaveLength(1);
  });
});

it("a declined sampling request gets the protocol's refusal, asks no model and is kept", async () => {
  const { client, respond, list, logged } = start([{ text: "never" }]);
  await expect(respond(PARAMS, { setting: { mode: "decline" } })).rejects.toMatchObject({
    code: -1,
    message: "User rejected sampling request",
  });
  expect(client.requests).toEqual([]);
  expect(await list()).toMatchObject([{ outcome: "declined", provider: null, requestText: JSON.stringify(PARAMS) }]);
  expect(logged).toEqual(["Sampling request declined by the server's settings"]);
});
