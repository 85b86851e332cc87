import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { AppError } from "../../platform/shared/app-error";
import type { SecretBox } from "../servers/server-store";
import { input, ModelServiceBench, testSecretBox } from "./model-service.test-support";

const bench = new ModelServiceBench();
beforeAll(() => bench.open());
afterAll(() => bench.close());
afterEach(() => bench.clear());

describe("which model providers there are", () => {
  it("keys in the environment make providers, and the demo model is always there, last", async () => {
    const service = await bench.start({
      ANTHROPIC_API_KEY: " sk-a ",
      ANTHROPIC_BASE_URL: "https://proxy.example/a",
      OPENAI_API_KEY: "",
      GOOGLE_API_KEY: "g",
      OLLAMA_HOST: "0.0.0.0:4000",
    });
    const { items } = service.providers();
    expect(items.map(({ name, origin, baseUrl, key }) => [name, origin, baseUrl, key.variable])).toEqual([
      ["anthropic", "environment", "https://proxy.example/a", "ANTHROPIC_API_KEY"],
      ["gemini", "environment", null, "GOOGLE_API_KEY"],
      ["ollama", "environment", "http://127.0.0.1:4000", null],
      ["demo", "built-in", null, null],
    ]);
    expect(items.every(({ problem }) => problem === null)).toBe(true);
    await service.client("anthropic");
    expect(bench.made).toEqual([{ kind: "anthropic", apiKey: "sk-a", baseUrl: "https://proxy.example/a" }]);
    expect(JSON.stringify(items)).not.toContain("sk-a");
  });

  it.each([
    ["localhost", "http://localhost:11434"],
    ["box:80", "http://box"],
    [":1234", "http://127.0.0.1:1234"],
    ["https://models.example", "https://models.example"],
  ])("OLLAMA_HOST=%s is asked at %s", async (OLLAMA_HOST, baseUrl) => {
    expect((await bench.start({ OLLAMA_HOST })).providers().items[0]).toMatchObject({ baseUrl, problem: null });
  });

  it("a key in an address is neither listed nor part of what a run records about its service", async () => {
    const service = await bench.start({
      OPENAI_API_KEY: "sk-o",
      OPENAI_BASE_URL: "https://proxy.example/v1?key=planted#planted",
    });
    expect(service.providers().items[0]).toMatchObject({ baseUrl: "https://proxy.example/v1" });
    expect(service.endpoint("openai")).toBe("openai https://proxy.example/v1");
  });

  it("an address in the environment that is none is a problem that names its variable", async () => {
    const service = await bench.start({ ANTHROPIC_API_KEY: "sk-a", ANTHROPIC_BASE_URL: "ftp://x" });
    expect(service.providers().items[0]?.problem).toMatch(/ANTHROPIC_BASE_URL must be an http or https URL/);
    await expect(service.client("anthropic")).rejects.toMatchObject({ name: "AppError", code: "INVALID" });
    expect(bench.made).toEqual([]);
  });

  it("a stored provider takes the place of the environment's of its name, and gives it back when deleted", async () => {
    const service = await bench.start({ ANTHROPIC_API_KEY: "sk-env" });
    await service.createProvider(LOCAL_OWNER, input({ name: "anthropic" }));
    expect(service.providers().items.map(({ name, origin }) => [name, origin])).toEqual([
      ["anthropic", "console"],
      ["demo", "built-in"],
    ]);
    expect(await service.deleteProvider(LOCAL_OWNER, "anthropic")).toEqual({ name: "anthropic" });
    expect(service.providers().items[0]).toMatchObject({ name: "anthropic", origin: "environment" });
  });

  it("what is not stored cannot be changed, and the message says where to change it", async () => {
    const service = await bench.start({ GEMINI_API_KEY: "g" });
    await expect(service.updateProvider(LOCAL_OWNER, "demo", input())).rejects.toThrow(
      "built in and cannot be changed",
    );
    await expect(service.deleteProvider(LOCAL_OWNER, "gemini")).rejects.toThrow(
      "comes from the environment variable GEMINI_API_KEY",
    );
    await expect(service.createProvider(LOCAL_OWNER, input({ name: "demo" }))).rejects.toMatchObject({
      code: "CONFLICT",
    });
    await expect(service.client("nobody")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(service.client("__proto__")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("keys", () => {
  it("a stored key survives a restart and a renaming, and no answer holds it", async () => {
    const service = await bench.start();
    const created = await service.createProvider(LOCAL_OWNER, input());
    expect(created.key).toEqual({ state: "stored", variable: null });
    const renamed = await service.updateProvider(LOCAL_OWNER, "mine", input({ name: "renamed", apiKey: null }));
    expect(renamed).toMatchObject({ name: "renamed", key: { state: "stored" }, problem: null });
    expect(JSON.stringify([created, renamed])).not.toContain("sk-stored");
    const again = await bench.start();
    await again.client("renamed");
    expect(bench.made.at(-1)).toMatchObject({ apiKey: "sk-stored" });
    expect(await again.updateProvider(LOCAL_OWNER, "renamed", input({ name: "renamed", apiKey: "" }))).toMatchObject({
      key: { state: "none" },
      problem: expect.stringContaining("API key missing"),
    });
  });

  it("a stored key does not follow its provider to another address unless it is entered again", async () => {
    const service = await bench.start();
    await service.createProvider(LOCAL_OWNER, input());
    const elsewhere = { baseUrl: "https://elsewhere.example" };
    const refusal = service.updateProvider(LOCAL_OWNER, "mine", input({ ...elsewhere, apiKey: null }));
    await expect(refusal).rejects.toMatchObject({
      code: "INVALID",
      message: expect.stringMatching(/apiKey is required again.*api\.anthropic\.com.*elsewhere\.example/),
    });
    await expect(service.updateProvider(LOCAL_OWNER, "mine", input({ kind: "gemini", apiKey: null }))).rejects.toThrow(
      /apiKey/,
    );
    await service.updateProvider(LOCAL_OWNER, "mine", input({ baseUrl: "https://api.anthropic.com/v1", apiKey: null }));
    await service.updateProvider(LOCAL_OWNER, "mine", input({ ...elsewhere, apiKey: "sk-new" }));
    await service.client("mine");
    expect(bench.made).toEqual([{ kind: "anthropic", apiKey: "sk-new", baseUrl: "https://elsewhere.example" }]);
  });

  it("the environment's key is lent only to a provider at the address that it is meant for", async () => {
    const service = await bench.start({ ANTHROPIC_API_KEY: "sk-env" });
    const own = await service.createProvider(LOCAL_OWNER, input({ name: "own", apiKey: null }));
    expect(own).toMatchObject({ key: { state: "environment", variable: "ANTHROPIC_API_KEY" }, problem: null });
    const other = await service.createProvider(
      LOCAL_OWNER,
      input({ name: "other", apiKey: null, baseUrl: "https://evil.example" }),
    );
    expect(other).toMatchObject({ key: { state: "none" }, problem: expect.stringContaining("API key missing") });
    const proxied = await bench.start({ ANTHROPIC_API_KEY: "sk-env", ANTHROPIC_BASE_URL: "https://proxy.example" });
    expect(proxied.providers().items.find(({ name }) => name === "own")?.key.state).toBe("none");
  });

  it("a key that cannot be read is reported, and can be entered again", async () => {
    await (await bench.start()).createProvider(LOCAL_OWNER, input());
    const unreadable: SecretBox = {
      ...testSecretBox,
      open: () => {
        throw new Error("enter it again");
      },
    };
    const store = bench.store(unreadable);
    const service = await bench.start({ ANTHROPIC_API_KEY: "sk-env" }, { store });
    const [provider] = service.providers().items;
    expect(provider).toMatchObject({ key: { state: "unreadable" }, problem: "apiKey cannot be read. enter it again" });
    await expect(service.client("mine")).rejects.toThrow("'mine' cannot be used: apiKey cannot be read");
  });

  it.each([
    [{ apiKey: "two\nlines" }, "apiKey must be one line"],
    [{ kind: "openai-compatible" }, "baseUrl is required"],
    [{ baseUrl: "https://host.example/v1?key=abc" }, "baseUrl must not have a query or fragment"],
    [{ baseUrl: "https://user:pass@host.example" }, "baseUrl must be an http or https URL without a user name"],
    [
      {
        prices: [
          { model: "a", input: 1, output: 1 },
          { model: "a", input: 2, output: 2 },
        ],
      },
      "prices[1].model 'a' is listed twice",
    ],
  ])("refuses %j: %s", async (more, message) => {
    const service = await bench.start();
    const error = await service.createProvider(LOCAL_OWNER, input(more)).catch((thrown: AppError) => thrown);
    expect(error).toMatchObject({ code: "INVALID", problems: [{ path: message.split(" ", 1)[0] }] });
    expect(error).toHaveProperty("message", expect.stringContaining(message));
    expect(service.providers().items.length).toBe(1);
  });
});

describe("clients and prices", () => {
  it("a client is made once for the same settings and dropped when they change", async () => {
    const service = await bench.start();
    await service.createProvider(LOCAL_OWNER, input());
    const first = await service.client("mine");
    expect(await service.client("mine")).toBe(first);
    await service.updateProvider(LOCAL_OWNER, "mine", input({ apiKey: null, models: ["m"] }));
    expect(await service.client("mine")).not.toBe(first);
    expect(bench.changes).toBe(2);
  });

  it("a price is of one provider's one model", async () => {
    const service = await bench.start();
    const price = { model: "m", input: 1, output: 2 };
    await service.createProvider(LOCAL_OWNER, input({ prices: [price] }));
    expect([
      service.price("mine", "m"),
      service.price("mine", "n"),
      service.price("demo", "m"),
      service.price("no", "m"),
    ]).toEqual([price, null, null, null]);
  });

  it("two that take one name at once: one is refused", async () => {
    const service = await bench.start();
    const outcomes = await Promise.allSettled([
      service.createProvider(LOCAL_OWNER, input()),
      service.createProvider(LOCAL_OWNER, input()),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(outcomes[1]).toMatchObject({
      reason: { code: "CONFLICT", message: expect.stringContaining("'mine' is already taken") },
    });
  });
});
