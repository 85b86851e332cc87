import type { Actor } from "../../src/lib/contract";
import type { ModelPrice, ModelProviderInput } from "../../src/lib/contract/model";

export const INES: Actor = { id: "ines", name: "Inês Ferreira" };
export const TOM: Actor = { id: "tom", name: "Tom Okafor" };
export const MEI: Actor = { id: "mei", name: "Mei Tanaka" };

const customerId = { type: "string", description: "As find_customer gives it" };

/** Tools that ask a person first: one destructive, one that says so itself. They are mocks: an approved call does run. */
export const ASKING_TOOLS: readonly string[] = [
  {
    name: "refund_order",
    description: "Pay an order back, in part or as a whole. The money leaves at once.",
    type: "function",
    handler: "refund_order",
    tags: ["billing"],
    annotations: { destructiveHint: true, idempotentHint: false },
    parameters: {
      type: "object",
      properties: {
        order_id: { type: "string", pattern: "^ord_[0-9]+$", description: "As list_orders gives it" },
        amount: { type: "number", exclusiveMinimum: 0, description: "In the order's currency" },
        reason: { type: "string", description: "What the customer is told" },
      },
      required: ["order_id", "amount", "reason"],
    },
    implementation: { type: "mock", mock_response: { refund: "rfd_5180", state: "paid_out" } },
  },
  {
    name: "send_email",
    description: "Send an email to a customer in the team's name.",
    type: "function",
    handler: "send_email",
    tags: ["support"],
    annotations: { destructiveHint: false, openWorldHint: true },
    approval: "always",
    parameters: {
      type: "object",
      properties: {
        customer_id: customerId,
        subject: { type: "string", maxLength: 120 },
        body: { type: "string", description: "Plain text" },
      },
      required: ["customer_id", "subject", "body"],
    },
    implementation: { type: "mock", mock_response: { message: "msg_40117", state: "sent" } },
  },
].map((definition) => JSON.stringify(definition));

/** Without keys: a key is its owner's, and the environment's is used where there is one. */
export const PROVIDERS: readonly ModelProviderInput[] = [
  {
    name: "anthropic",
    kind: "anthropic",
    models: ["claude-sonnet-5-5", "claude-haiku-5"],
    prices: [
      { model: "claude-sonnet-5-5", input: 3, output: 15, cachedInput: 0.3 },
      { model: "claude-haiku-5", input: 1, output: 5, cachedInput: 0.1 },
    ],
  },
  {
    name: "openai",
    kind: "openai",
    models: ["gpt-5.4-mini", "gpt-5.4"],
    prices: [
      { model: "gpt-5.4-mini", input: 0.25, output: 2, cachedInput: 0.025 },
      { model: "gpt-5.4", input: 1.25, output: 10, cachedInput: 0.125 },
    ],
  },
  {
    name: "gemini",
    kind: "gemini",
    models: ["gemini-3.8-flash"],
    prices: [{ model: "gemini-3.8-flash", input: 0.3, output: 2.5, cachedInput: 0.03 }],
  },
];

export interface ModelName {
  provider: string;
  model: string;
}

export const SONNET: ModelName = { provider: "anthropic", model: "claude-sonnet-5-5" };
export const HAIKU: ModelName = { provider: "anthropic", model: "claude-haiku-5" };
export const GPT: ModelName = { provider: "openai", model: "gpt-5.4" };
export const GPT_MINI: ModelName = { provider: "openai", model: "gpt-5.4-mini" };
export const FLASH: ModelName = { provider: "gemini", model: "gemini-3.8-flash" };
/** On a machine of the team's own, which this Toolroom no longer has as a provider: it has no price. */
export const QWEN: ModelName = { provider: "ollama", model: "qwen3.6:8b" };
export const DEMO: ModelName = { provider: "demo", model: "demo" };

export function priceOf(provider: string, model: string): ModelPrice | null {
  const found = PROVIDERS.find(({ name }) => name === provider);
  return found?.prices.find((price) => price.model === model) ?? null;
}
