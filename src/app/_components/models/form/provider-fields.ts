import { KIND_LABELS } from "@/app/_components/models/summary/model-words";
import { defineForm, lines, rows, secret, select, splitLines, text } from "@/app/_kit/form/fields";
import type { Secret } from "@/app/_kit/form/secret";
import type { ModelPrice, ModelProviderInput } from "@/lib/contract/model";

type EditableKind = ModelProviderInput["kind"];

interface KindFacts {
  /** The placeholder where no address is entered. */
  address: string;
  addressRequired: boolean;
  key: string;
}

export const KIND_FACTS: Record<EditableKind, KindFacts> = {
  anthropic: {
    address: "Default",
    addressRequired: false,
    key: "From the Anthropic Console. Begins with sk-ant-.",
  },
  openai: { address: "Default", addressRequired: false, key: "From the OpenAI platform. Begins with sk-." },
  "openai-compatible": {
    address: "http://127.0.0.1:8000/v1",
    addressRequired: true,
    key: "Only if the server requires one.",
  },
  gemini: { address: "Default", addressRequired: false, key: "From Google AI Studio." },
  ollama: {
    address: "http://127.0.0.1:11434",
    addressRequired: false,
    key: "Only if a proxy in front of it requires one.",
  },
};

const KIND_ABOUT: Record<EditableKind, string> = {
  anthropic: "Claude models, over the Messages API.",
  openai: "OpenAI models, over the Responses API.",
  "openai-compatible": "Any server that speaks Chat Completions: vLLM, LM Studio, OpenRouter, Mistral, …",
  gemini: "Gemini models, over Google's Gemini API.",
  ollama: "Models on your own machine.",
};

/** The amounts of a price in the form that the user typed. */
export type PriceRow = Record<"model" | "input" | "output" | "cachedInput", string>;
export const NEW_PRICE: PriceRow = { model: "", input: "", output: "", cachedInput: "" };

const toPriceRow = ({ model, input, output, cachedInput }: ModelPrice): PriceRow => ({
  model,
  input: String(input),
  output: String(output),
  cachedInput: cachedInput === undefined ? "" : String(cachedInput),
});

/** Takes a decimal point or comma; null for other text, undefined for none. */
function readAmount(typed: string): number | null | undefined {
  const trimmed = typed.trim().replace(",", ".");
  if (trimmed === "") return undefined;
  return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : null;
}

const isSent = (row: PriceRow): boolean => Object.values(row).some((typed) => typed.trim() !== "");

function toSentPrice(row: PriceRow) {
  const [input, output, cachedInput] = [row.input, row.output, row.cachedInput].map(readAmount);
  return { model: row.model.trim(), input, output, ...(cachedInput !== undefined && { cachedInput }) };
}

function checkPrice(row: PriceRow): string[] {
  const { model, input, output, cachedInput } = toSentPrice(row);
  if (model === "") return ["Enter the model's name"];
  if ([input, output, cachedInput].includes(null)) return [`${model}: prices are numbers such as 3 or 0.25`];
  if (input === undefined || output === undefined) return [`${model}: input and output both need a price; 0 is one`];
  return [];
}

/** An empty text deletes the stored key, so a field that was left empty is not sent. */
const writeKey = ({ value, removed }: Secret): string | undefined => (removed ? "" : value?.trim() || undefined);

const { demo: _, ...EDITABLE_LABELS } = KIND_LABELS;

export const PROVIDER_FORM = defineForm<ModelProviderInput>()({
  kind: select<EditableKind>("Kind", "anthropic", EDITABLE_LABELS, { about: KIND_ABOUT }),
  name: text("Name", { required: true, mono: true }),
  apiKey: secret("API key", { control: "custom", write: writeKey }),
  baseUrl: text("Base URL", {
    mono: true,
    write: (typed) => typed.trim() || null,
    check: (typed, { kind }) =>
      typed.trim() === "" && KIND_FACTS[kind as EditableKind].addressRequired
        ? ["is required: the address that ends before /chat/completions"]
        : [],
  }),
  models: lines("Models", {
    mono: true,
    rows: 3,
    write: (typed) => [...new Set(splitLines(typed.replaceAll(",", "\n")))],
    hint: "One per line. The first is the default. Added to the models that the provider lists.",
  }),
  prices: rows<PriceRow>("Prices", isSent, toSentPrice, {
    hint: "US dollars per million tokens. Runs of a model without prices show tokens only.",
    read: (stored) => (stored as ModelPrice[]).map(toPriceRow),
    check: (list) => list.filter(isSent).flatMap(checkPrice),
  }),
});
