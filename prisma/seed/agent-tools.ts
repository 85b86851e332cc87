import type { ModelPrice, ModelProviderInput } from "../../src/lib/contract/model";

/** Dollars for a million tokens. */
const PRICES: Record<string, readonly ModelPrice[]> = {
  anthropic: [
    { model: "claude-sonnet-5-5", input: 3, output: 15, cachedInput: 0.3 },
    { model: "claude-haiku-5", input: 1, output: 5, cachedInput: 0.1 },
  ],
  openai: [
    { model: "gpt-5.4-mini", input: 0.25, output: 2, cachedInput: 0.025 },
    { model: "gpt-5.4", input: 1.25, output: 10, cachedInput: 0.125 },
  ],
  gemini: [{ model: "gemini-3.8-flash", input: 0.3, output: 2.5, cachedInput: 0.03 }],
};

/** Without keys: those of the environment are used where there are any. */
export const PROVIDERS: readonly ModelProviderInput[] = (["anthropic", "openai", "gemini"] as const).map((kind) => {
  const prices = [...(PRICES[kind] ?? [])];
  return { name: kind, kind, models: prices.map(({ model }) => model), prices };
});

export interface ModelName {
  provider: string;
  model: string;
}

export const DEMO: ModelName = { provider: "demo", model: "demo" };
/** On the team's own machine, which is no provider here any more: it has no price. */
export const QWEN: ModelName = { provider: "ollama", model: "qwen3.6:8b" };
export const GPT_MINI: ModelName = { provider: "openai", model: "gpt-5.4-mini" };

/** As stories call them. */
export const MODELS: ReadonlyMap<string, ModelName> = new Map([
  ["sonnet", { provider: "anthropic", model: "claude-sonnet-5-5" }],
  ["haiku", { provider: "anthropic", model: "claude-haiku-5" }],
  ["gpt", { provider: "openai", model: "gpt-5.4" }],
  ["mini", GPT_MINI],
  ["flash", { provider: "gemini", model: "gemini-3.8-flash" }],
  ["qwen", QWEN],
  ["demo", DEMO],
]);

export function findPrice(provider: string, model: string): ModelPrice | null {
  return PRICES[provider]?.find((price) => price.model === model) ?? null;
}
