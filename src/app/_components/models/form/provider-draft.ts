import type { ModelProviderInput, ModelProviderKind, ModelProviderSummary } from "@/lib/contract/model";
import type { Problem } from "@/lib/contract/problem";

export type EditableKind = Exclude<ModelProviderKind, "demo">;

export const EDITABLE_KINDS: readonly EditableKind[] = ["anthropic", "openai", "openai-compatible", "gemini", "ollama"];

interface KindFacts {
  /** Said under the choice of the kind. */
  about: string;
  /** Shown where no address is given. */
  address: string;
  addressRequired: boolean;
  key: string;
}

export const KIND_FACTS: Record<EditableKind, KindFacts> = {
  anthropic: {
    about: "Claude models, over the Messages API.",
    address: "Default",
    addressRequired: false,
    key: "From the Anthropic Console. Begins with sk-ant-.",
  },
  openai: {
    about: "OpenAI models, over the Responses API.",
    address: "Default",
    addressRequired: false,
    key: "From the OpenAI platform. Begins with sk-.",
  },
  "openai-compatible": {
    about: "Any server that speaks Chat Completions: vLLM, LM Studio, OpenRouter, Mistral, …",
    address: "http://127.0.0.1:8000/v1",
    addressRequired: true,
    key: "Only if the server requires one.",
  },
  gemini: {
    about: "Gemini models, over Google's Gemini API.",
    address: "Default",
    addressRequired: false,
    key: "From Google AI Studio.",
  },
  ollama: {
    about: "Models on your own machine.",
    address: "http://127.0.0.1:11434",
    addressRequired: false,
    key: "Only if a proxy in front of it requires one.",
  },
};

export interface PriceRow {
  /** Tells rows apart while they are edited. */
  key: number;
  model: string;
  input: string;
  output: string;
  cachedInput: string;
}

export interface ProviderDraft {
  kind: EditableKind;
  name: string;
  baseUrl: string;
  /** Whether the stored key is kept, replaced by `apiKey`, or deleted. */
  keyMode: "keep" | "replace" | "forget";
  apiKey: string;
  /** One a line. */
  modelsText: string;
  prices: PriceRow[];
}

export function newDraft(kind: EditableKind): ProviderDraft {
  return { kind, name: kind, baseUrl: "", keyMode: "replace", apiKey: "", modelsText: "", prices: [] };
}

export function draftOf(provider: ModelProviderSummary): ProviderDraft {
  return {
    kind: provider.kind === "demo" ? "openai-compatible" : provider.kind,
    name: provider.name,
    baseUrl: provider.baseUrl ?? "",
    keyMode: provider.key.state === "none" ? "replace" : "keep",
    apiKey: "",
    modelsText: provider.models.join("\n"),
    prices: provider.prices.map(({ model, input, output, cachedInput }, key) => ({
      key,
      model,
      input: String(input),
      output: String(output),
      cachedInput: cachedInput === undefined ? "" : String(cachedInput),
    })),
  };
}

/** The same draft for another kind; a name that was not edited follows the kind. */
export function withKind(draft: ProviderDraft, kind: EditableKind): ProviderDraft {
  return { ...draft, kind, name: draft.name === draft.kind ? kind : draft.name };
}

export const PROVIDER_FIELDS = ["name", "kind", "baseUrl", "apiKey", "models", "prices"] as const;

/** Takes a decimal point or comma; null for other text, undefined for none. */
function readAmount(text: string): number | null | undefined {
  const trimmed = text.trim().replace(",", ".");
  if (trimmed === "") return undefined;
  return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : null;
}

/** The input to send, or the problems that the form can find; the server checks the rest. */
export function readDraft(draft: ProviderDraft): { input: ModelProviderInput } | { problems: Problem[] } {
  const prices: ModelProviderInput["prices"] = [];
  const problems: Problem[] = [];
  const refuse = (message: string): void => void problems.push({ path: "prices", message });
  for (const row of draft.prices) {
    const amounts = [row.input, row.output, row.cachedInput].map(readAmount);
    const [input, output, cachedInput] = amounts;
    const model = row.model.trim();
    if (model === "" && amounts.every((amount) => amount === undefined)) continue;
    if (model === "") refuse("Enter the model's name");
    else if (amounts.includes(null)) refuse(`${model}: prices are numbers such as 3 or 0.25`);
    else if (typeof input !== "number" || typeof output !== "number") {
      refuse(`${model}: input and output both need a price; 0 is one`);
    } else prices.push({ model, input, output, ...(typeof cachedInput === "number" ? { cachedInput } : {}) });
  }
  if (problems.length > 0) return { problems };
  const baseUrl = draft.baseUrl.trim();
  if (baseUrl === "" && KIND_FACTS[draft.kind].addressRequired) {
    return { problems: [{ path: "baseUrl", message: "is required: the address that ends before /chat/completions" }] };
  }
  return {
    input: {
      name: draft.name.trim(),
      kind: draft.kind,
      baseUrl: baseUrl === "" ? null : baseUrl,
      ...keyPart(draft),
      models: [...new Set(draft.modelsText.split(/[\n,]/).map((model) => model.trim()))].filter(
        (model) => model !== "",
      ),
      prices,
    },
  };
}

function keyPart({ keyMode, apiKey }: ProviderDraft): Pick<ModelProviderInput, "apiKey"> {
  if (keyMode === "forget") return { apiKey: "" };
  // An empty field forgets nothing: that is a choice of its own.
  return keyMode === "replace" && apiKey.trim() !== "" ? { apiKey: apiKey.trim() } : {};
}
