import { describe, expect, it } from "vitest";
import { checkDraft, readInput, writeInput } from "@/app/_kit/form/draft-input";
import type { DraftOf } from "@/app/_kit/form/fields";
import { type ModelProviderSummary, modelProviderInputSchema } from "@/lib/contract/model";
import { NEW_PRICE, PROVIDER_FORM } from "./provider-fields";
import { toInitial } from "./provider-form";

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

type Draft = DraftOf<typeof PROVIDER_FORM.fields>;
const toDraft = (provider: ModelProviderSummary): Draft => readInput(PROVIDER_FORM, toInitial(provider));
const newDraft = (kind: Draft["kind"]): Draft => ({ ...readInput(PROVIDER_FORM, toInitial(null)), kind, name: kind });
const findProblems = (draft: Draft) => checkDraft(PROVIDER_FORM, draft);
function buildInput(draft: Draft) {
  expect(findProblems(draft)).toEqual([]);
  return writeInput(PROVIDER_FORM, draft);
}

describe("the draft of a model provider", () => {
  it("gives back what it was made of, keeps the stored key by leaving it out, and the server accepts it", () => {
    const input = buildInput(toDraft(stored));
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
    const draft = toDraft(stored);
    expect(buildInput({ ...draft, apiKey: { ...draft.apiKey, value: " sk-1 " } }).apiKey).toBe("sk-1");
    expect(buildInput({ ...draft, apiKey: { ...draft.apiKey, value: "sk-1", removed: true } }).apiKey).toBe("");
    expect("apiKey" in buildInput({ ...draft, apiKey: { ...draft.apiKey, value: "" } })).toBe(false);
  });

  it("reads models by line or comma, once each", () => {
    expect(buildInput({ ...newDraft("gemini"), models: " a, b\n\nb\nc " }).models).toEqual(["a", "b", "c"]);
  });

  it("names the model whose price is no number or only half a price, and drops rows that hold nothing", () => {
    const draftWith = (part: object): Draft => ({
      ...newDraft("openai"),
      prices: [{ ...NEW_PRICE, model: "m", ...part }],
    });
    const readPrices = (part: object) => findProblems(draftWith(part));
    expect(buildInput(draftWith({ model: "" })).prices).toEqual([]);
    expect(readPrices({ input: "cheap", output: "1" })).toEqual([
      { path: "prices", message: expect.stringMatching(/^m: prices are numbers/) },
    ]);
    expect(readPrices({ input: "1" })).toEqual([
      { path: "prices", message: expect.stringMatching(/^m: input and output both/) },
    ]);
    expect(readPrices({ model: "", input: "1", output: "1" })).toEqual([
      { path: "prices", message: expect.stringMatching(/Enter the model's name/) },
    ]);
    expect(buildInput(draftWith({ input: "0,5", output: "0" })).prices).toEqual([
      { model: "m", input: 0.5, output: 0 },
    ]);
  });

  it("asks for an address where the kind has none of its own", () => {
    expect(findProblems(newDraft("openai-compatible"))).toEqual([
      { path: "baseUrl", message: expect.stringMatching(/is required/) },
    ]);
    expect(buildInput(newDraft("ollama")).baseUrl).toBeNull();
  });
});
