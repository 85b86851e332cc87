import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { ChatClientError } from "../../engine/agent/chat-ports";
import { ScriptedClient, type ScriptedTurn } from "../../models/scripted-client.test-support";
import { input, ModelServiceBench } from "./model-service.test-support";

const bench = new ModelServiceBench();
beforeAll(() => bench.open());
afterAll(() => bench.close());
afterEach(() => bench.clear());

describe("models to choose from", () => {
  it("without a key there is the demo model", async () => {
    const service = await bench.start();
    expect(await service.choices()).toEqual({
      items: [{ provider: "demo", model: "demo", kind: "demo", maxTools: null }],
    });
  });

  it("each choice says how many tools a request may offer, where its provider documents a number", async () => {
    const service = await bench.start({ OPENAI_API_KEY: "o", GEMINI_API_KEY: "g", ANTHROPIC_API_KEY: "a" });
    const { items } = await service.choices();
    expect(items.map(({ kind, maxTools }) => [kind, maxTools])).toEqual([
      ["anthropic", null],
      ["openai", 128],
      ["gemini", 512],
      ["demo", null],
    ]);
    expect(service.maxTools("openai")).toBe(128);
  });

  it("configured models come first and demo last, without waiting for a vendor that never answers", async () => {
    bench.connect = () =>
      Object.assign(new ScriptedClient([]), { listModels: () => new Promise<never>(() => undefined) });
    const service = await bench.start({ ANTHROPIC_API_KEY: "sk" });
    await service.createProvider(LOCAL_OWNER, input({ models: ["one", "two", "one"] }));
    await service.createProvider(
      LOCAL_OWNER,
      input({ name: "keyless", kind: "gemini", apiKey: null, models: ["hidden"] }),
    );
    const { items } = await service.choices();
    expect(items.map(({ provider, model }) => `${provider} ${model}`)).toEqual([
      "mine one",
      "mine two",
      "anthropic claude-sonnet-5-5",
      "demo demo",
    ]);
  });

  it("what a vendor listed is offered the next time, and pages hear of it", async () => {
    const service = await bench.start({ ANTHROPIC_API_KEY: "sk" });
    await service.choices();
    await expect.poll(() => bench.changes).toBe(1);
    const { items } = await service.choices();
    expect(items.map(({ model }) => model)).toEqual(["listed-1", "listed-2", "demo"]);
  });
});

describe("asking a vendor", () => {
  it("lists the vendor's models beside the configured ones, and asks again after five minutes or for a test", async () => {
    let asked = 0;
    bench.connect = () =>
      Object.assign(new ScriptedClient([]), { listModels: async () => [`listed-${++asked}`, "one"] });
    const service = await bench.start();
    await service.createProvider(LOCAL_OWNER, input({ models: ["one"] }));
    const both = await Promise.all([service.available(LOCAL_OWNER, "mine"), service.available(LOCAL_OWNER, "mine")]);
    expect(both[0]).toEqual({ models: ["one", "listed-1"], problem: null });
    bench.elapsed = 299_000;
    await service.available(LOCAL_OWNER, "mine");
    expect(asked).toBe(1);
    bench.elapsed = 301_000;
    expect((await service.available(LOCAL_OWNER, "mine")).models).toEqual(["one", "listed-2"]);
    expect(await service.testProvider(LOCAL_OWNER, "mine")).toEqual({
      ok: true,
      message: "Connected: 2 models",
      models: ["listed-3", "one"],
    });
  });

  it("a vendor that does not answer is a problem within the limit, without the key, and is asked again the next time", async () => {
    const faults = [
      () => new Promise<never>(() => undefined),
      () => Promise.reject(new ChatClientError("auth", "invalid x-api-key: sk-stored")),
    ];
    bench.connect = () =>
      Object.assign(new ScriptedClient([]), { listModels: () => faults.shift()?.() ?? Promise.resolve(["m"]) });
    const service = await bench.start({}, { listLimitMs: 20 });
    await service.createProvider(LOCAL_OWNER, input());
    expect((await service.available(LOCAL_OWNER, "mine")).problem).toMatch(/No answer within 0\.02 s/);
    expect(await service.available(LOCAL_OWNER, "mine")).toEqual({ models: [], problem: "invalid x-api-key: •••" });
    expect(await service.available(LOCAL_OWNER, "mine")).toEqual({ models: ["m"], problem: null });
  });

  it("a test asks the first configured model for a word where nothing is listed", async () => {
    const turns: ScriptedTurn[] = [
      { text: "ready" },
      { error: new ChatClientError("not_found", "no model 'm' for sk-stored") },
    ];
    const client = new ScriptedClient(turns, { models: [] });
    bench.connect = () => client;
    const service = await bench.start();
    await service.createProvider(LOCAL_OWNER, input({ models: ["m"] }));
    expect(await service.testProvider(LOCAL_OWNER, "mine")).toEqual({
      ok: true,
      message: "m answers: “ready”.",
      models: [],
    });
    expect(client.requests[0]?.options.model).toBe("m");
    expect(await service.testProvider(LOCAL_OWNER, "mine")).toMatchObject({
      ok: false,
      message: "m does not answer: no model 'm' for •••",
    });
    await service.updateProvider(LOCAL_OWNER, "mine", input({ apiKey: null }));
    expect(await service.testProvider(LOCAL_OWNER, "mine")).toMatchObject({
      ok: false,
      message: expect.stringContaining("lists no models"),
    });
    await service.updateProvider(LOCAL_OWNER, "mine", input({ apiKey: "" }));
    expect(await service.testProvider(LOCAL_OWNER, "mine")).toMatchObject({
      ok: false,
      message: expect.stringContaining("API key missing"),
    });
  });
});
