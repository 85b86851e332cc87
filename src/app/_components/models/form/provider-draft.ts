import type { ModelProviderInput, ModelProviderKind, ModelProviderSummary } from "@/lib/contract/model";

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
    address: "the vendor's own",
    addressRequired: false,
    key: "From the vendor's console; begins with sk-ant-.",
  },
  openai: {
    about: "OpenAI's own models, over the Responses API.",
    address: "the vendor's own",
    addressRequired: false,
    key: "From the vendor's platform; begins with sk-.",
  },
  "openai-compatible": {
    about: "Any server that speaks Chat Completions: vLLM, LM Studio, OpenRouter, Mistral, …",
    address: "http://127.0.0.1:8000/v1",
    addressRequired: true,
    key: "Only where the server asks for one.",
  },
  gemini: {
    about: "Gemini models, over Google's Gemini API.",
    address: "the vendor's own",
    addressRequired: false,
    key: "From Google AI Studio.",
  },
  ollama: {
    about: "Models on a machine of your own.",
    address: "http://127.0.0.1:11434",
    addressRequired: false,
    key: "Not needed, unless a proxy in front of it asks for one.",
  },
};

export interface PriceRow {
  /** Tells rows apart while they are edited. */
  id: number;
  model: string;
  input: string;
  output: string;
  cachedInput: string;
}

export interface ProviderDraft {
  kind: EditableKind;
  name: string;
  baseUrl: string;
  /** What becomes of the key: what is stored stays, gives way to `apiKey`, or is forgotten. */
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
    prices: provider.prices.map(({ model, input, output, cachedInput }, id) => ({
      id,
      model,
      input: String(input),
      output: String(output),
      cachedInput: cachedInput === undefined ? "" : String(cachedInput),
    })),
  };
}

/** The same draft for another kind; a name that nobody wrote follows. */
export function withKind(draft: ProviderDraft, kind: EditableKind): ProviderDraft {
  return { ...draft, kind, name: draft.name === draft.kind ? kind : draft.name };
}

export type ProblemField = "name" | "kind" | "baseUrl" | "apiKey" | "models" | "prices";
export type Problems = Partial<Record<ProblemField | "whole", string[]>>;

/** Numbers as people write them; null for what is none, undefined for nothing. */
function readAmount(text: string): number | null | undefined {
  const trimmed = text.trim().replace(",", ".");
  if (trimmed === "") return undefined;
  return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : null;
}

/** What is sent; or what cannot be sent, because it is no number or belongs to no model. The rest the server judges. */
export function readDraft(draft: ProviderDraft): { input: ModelProviderInput } | { problems: Problems } {
  const prices: ModelProviderInput["prices"] = [];
  const problems: string[] = [];
  for (const row of draft.prices) {
    const amounts = [row.input, row.output, row.cachedInput].map(readAmount);
    const [input, output, cachedInput] = amounts;
    const model = row.model.trim();
    if (model === "" && amounts.every((amount) => amount === undefined)) continue;
    if (model === "") problems.push("a price needs the name of its model");
    else if (amounts.includes(null)) problems.push(`${model}: prices are numbers such as 3 or 0.25`);
    else if (typeof input !== "number" || typeof output !== "number") {
      problems.push(`${model}: input and output both need a price; 0 is one`);
    } else prices.push({ model, input, output, ...(typeof cachedInput === "number" ? { cachedInput } : {}) });
  }
  if (problems.length > 0) return { problems: { prices: problems } };
  const baseUrl = draft.baseUrl.trim();
  if (baseUrl === "" && KIND_FACTS[draft.kind].addressRequired) {
    return { problems: { baseUrl: ["is needed: the address that ends before /chat/completions"] } };
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

const FIELD = /^(?:provider\.)?(name|kind|baseUrl|apiKey|models|prices)\b[.\w[\]]*:?\s+(.+)$/s;

/** The server's refusal, sorted to the fields that it names. */
export function problemsOf(message: string, listed: readonly string[]): Problems {
  const problems: Problems = {};
  for (const line of listed.length > 0 ? listed : message.split("; ")) {
    const found = FIELD.exec(line);
    const field = (found?.[1] ?? "whole") as ProblemField | "whole";
    problems[field] = [...(problems[field] ?? []), found?.[2] ?? line];
  }
  return problems;
}
