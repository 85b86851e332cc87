import type { ModelChoice } from "@/lib/contract/model";
import { createWordMatcher } from "@/lib/match-words";

export interface ModelOption {
  key: string;
  provider: string;
  model: string;
  demo: boolean;
  /** The user typed it; it is not in the list of known models. */
  free: boolean;
}

export interface ModelSource {
  provider: string;
  demo: boolean;
  /** The names that the settings and the vendor list. */
  models: readonly string[];
}

const MAX_OF_PROVIDER = 100;

/**
 * Models to choose from under a search, provider by provider: what is configured first, then what the vendor lists, then
 * the typed name itself, for models that no list has.
 */
export function buildModelOptions(
  choices: readonly ModelChoice[],
  sources: readonly ModelSource[],
  search: string,
): ModelOption[] {
  const typed = search.trim();
  const matches = createWordMatcher(typed);
  const providers = [
    ...new Set([...choices.map(({ provider }) => provider), ...sources.map(({ provider }) => provider)]),
  ];
  const found: ModelOption[] = [];
  const free: ModelOption[] = [];
  for (const provider of providers) {
    const own = choices.filter((choice) => choice.provider === provider);
    const source = sources.find((each) => each.provider === provider);
    const demo = source?.demo ?? own[0]?.kind === "demo";
    const models = [...new Set([...own.map(({ model }) => model), ...(source?.models ?? [])])];
    const matching = models.filter((model) => matches(provider, model));
    for (const model of matching.slice(0, MAX_OF_PROVIDER)) {
      found.push({ key: `${provider}/${model}`, provider, model, demo, free: false });
    }
    if (typed !== "" && !demo && !models.includes(typed)) {
      free.push({ key: `free ${provider}`, provider, model: typed.slice(0, 200), demo, free: true });
    }
  }
  return [...found, ...free];
}
