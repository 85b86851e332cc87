import type { ModelPrice, ModelProviderInput } from "../../src/lib/contract/model";

const text = (description: string, more: object = {}): object => ({ type: "string", description, ...more });

/** Tools that require approval: one destructive, one by its own setting. They are mocks: an approved call does run. */
export const APPROVAL_TOOLS: readonly string[] = [
  {
    name: "refund_order",
    description: "Refund an order, in part or in full. The money is sent immediately.",
    tags: ["billing"],
    annotations: { destructiveHint: true, idempotentHint: false },
    properties: {
      order_id: text("An id from list_orders", { pattern: "^ord_[0-9]+$" }),
      amount: { type: "number", exclusiveMinimum: 0, description: "In the order's currency" },
      reason: text("Shown to the customer"),
    },
    mock_response: { refund: "rfd_5180", state: "paid_out" },
  },
  {
    name: "send_email",
    description: "Send an email to a customer in the team's name.",
    tags: ["support"],
    annotations: { destructiveHint: false, openWorldHint: true },
    approval: "always",
    properties: {
      customer_id: text("An id from find_customer"),
      subject: text("One line", { maxLength: 120 }),
      body: text("Plain text"),
    },
    mock_response: { message: "msg_40117", state: "sent" },
  },
].map(({ properties, mock_response, ...rest }) =>
  JSON.stringify({
    ...{ ...rest, type: "function", handler: rest.name },
    parameters: { type: "object", properties, required: Object.keys(properties) },
    implementation: { type: "mock", mock_response },
  }),
);

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
