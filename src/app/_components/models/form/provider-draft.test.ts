import { describe, expect, it } from "vitest";
import { type ModelProviderSummary, modelProviderInputSchema } from "@/lib/contract/model";
import { draftOf, newDraft, readDraft, withKind } from "./provider-draft";

const stored: ModelProviderSummary = {
  name: "local",
  kind: "openai-compatible",
  origin: "console",
  baseUrl: "http://127.0.0.1:8000/v1",
  key: { state: "stored", variable: null },
  models: ["qwen", "llama"],
  prices: [{ model: "qwen", input: 0.25, output: 1, cachedInput: 0.02 }],
  problem: null,
};

function inputOf(draft: Parameters<typeof readDraft>[0]) {
  const read = readDraft(draft);
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return read.input;
}

describe("the draft of a model provider", () => {
  it("gives back what it was made of, keeps the stored key by leaving it out, and the server accepts it", () => {
    const input = inputOf(draftOf(stored));
    expect(input).toEqual({
      name: "local",
      kind: "openai-compatible",
      baseUrl: "http://127.0.0.1:8000/v1",
      models: ["qwen", "llama"],
      prices: stored.prices,
    });
    expect(modelProviderInputSchema.parse(input)).toEqual(input);
  });

  it("sends a new key, forgets only when told, and never takes an empty field for forgetting", () => {
    const draft = draftOf(stored);
    expect(inputOf({ ...draft, keyMode: "replace", apiKey: " sk-1 " }).apiKey).toBe("sk-1");
    expect(inputOf({ ...draft, keyMode: "forget", apiKey: "sk-1" }).apiKey).toBe("");
    expect("apiKey" in inputOf({ ...draft, keyMode: "replace" })).toBe(false);
  });

  it("reads models by line or comma, once each", () => {
    expect(inputOf({ ...newDraft("gemini"), modelsText: " a, b\n\nb\nc " }).models).toEqual(["a", "b", "c"]);
  });

  it("names the model whose price is no number or only half a price, and drops rows that hold nothing", () => {
    const row = { key: 1, model: "m", input: "", output: "", cachedInput: "" };
    const pricesOf = (part: Partial<typeof row>) => readDraft({ ...newDraft("openai"), prices: [{ ...row, ...part }] });
    expect(pricesOf({ model: "" })).toMatchObject({ input: { prices: [] } });
    expect(pricesOf({ input: "cheap", output: "1" })).toMatchObject({
      problems: [{ path: "prices", message: expect.stringMatching(/^m: prices are numbers/) }],
    });
    expect(pricesOf({ input: "1" })).toMatchObject({
      problems: [{ path: "prices", message: expect.stringMatching(/^m: input and output both/) }],
    });
    expect(pricesOf({ model: "", input: "1", output: "1" })).toMatchObject({
      problems: [{ path: "prices", message: expect.stringMatching(/Enter the model's name/) }],
    });
    expect(pricesOf({ input: "0,5", output: "0" })).toMatchObject({
      input: { prices: [{ model: "m", input: 0.5, output: 0 }] },
    });
  });

  it("asks for an address where the kind has none of its own", () => {
    expect(readDraft(newDraft("openai-compatible"))).toMatchObject({
      problems: [{ path: "baseUrl", message: expect.stringMatching(/is required/) }],
    });
    expect(inputOf(newDraft("ollama")).baseUrl).toBeNull();
  });

  it("derives an untouched name from the kind, and keeps an edited one", () => {
    expect(withKind(newDraft("anthropic"), "ollama").name).toBe("ollama");
    expect(withKind({ ...newDraft("anthropic"), name: "work" }, "ollama").name).toBe("work");
  });
});
