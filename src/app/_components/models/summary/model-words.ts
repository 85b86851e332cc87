import type { ModelPrice, ModelProviderKind, ModelProviderSummary } from "@/lib/contract/model";

export const KIND_LABELS: Record<ModelProviderKind, string> = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  "openai-compatible": "OpenAI-compatible",
  gemini: "Google Gemini",
  ollama: "Ollama",
  demo: "Demo",
};

/** Where a provider was defined, and so who can change it. */
export function originText({ origin }: Pick<ModelProviderSummary, "origin">): string {
  if (origin === "built-in") return "built in";
  if (origin === "environment") return "from the environment";
  return "added here";
}

/** Where the key was defined; the key itself never reaches the browser. */
export function keyText({ kind, key }: Pick<ModelProviderSummary, "kind" | "key">): string {
  switch (key.state) {
    case "stored":
      return "stored, encrypted";
    case "environment":
      return key.variable === null ? "from the environment" : `environment variable ${key.variable}`;
    case "unreadable":
      return "stored, but unreadable: enter it again";
    case "none":
      return kind === "demo" || kind === "ollama" ? "none needed" : "none";
  }
}

const DOLLARS = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 4 });

/** `$3 in · $15 out` for a million tokens. */
export function priceText({ input, output, cachedInput }: ModelPrice): string {
  const cached = cachedInput === undefined ? "" : ` · ${dollars(cachedInput)} cached`;
  return `${dollars(input)} in · ${dollars(output)} out${cached}`;
}

const dollars = (amount: number): string => DOLLARS.format(amount).replace(/\.00$/, "");
