import type { JsonValue } from "../../src/lib/contract/json";
import type { Random } from "./random";

/** How a tool is used and how it behaves in a team's week. */
export interface WeekTool {
  name: string;
  /** Calls of this tool among those of all. */
  weight: number;
  medianMs: number;
  spread: number;
  args(random: Random): { [key: string]: JsonValue };
  /** @param at when it was called, in epoch milliseconds */
  result(random: Random, args: { [key: string]: JsonValue }, at: number): JsonValue;
  /** Arguments that do not fit its schema. */
  wrong: readonly string[];
  /** The messages of the tool's own failures; a mock never fails. */
  errors: readonly string[];
  /** The service that the tool calls; null for a tool that calls none. */
  service: string | null;
}

/** A catalog tool that a team made in the console, beside how it is used. */
export interface TeamTool extends WeekTool {
  definitionText: string;
}

interface TeamToolSource extends WeekTool {
  description: string;
  tags: string[];
  annotations: object;
  properties: object;
  required: string[];
  timeoutMs?: number;
  response: JsonValue;
}

function teamTool(source: TeamToolSource): TeamTool {
  const { description, tags, annotations, properties, required, timeoutMs, response, ...use } = source;
  const definitionText = JSON.stringify({
    name: use.name,
    description,
    type: "function",
    handler: use.name,
    tags,
    annotations,
    parameters: { type: "object", properties, required },
    ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
    implementation: { type: "mock", mock_response: response },
  });
  return { ...use, definitionText };
}

const NAMES = ["Ada Byron", "Björk Jónsdóttir", "Chen Wei", "Dara Okafor", "Émile Zola", "Fatima Noor"] as const;
const QUESTIONS = [
  "reset a forgotten password",
  "refund after thirty days",
  "change the billing address",
  "export all invoices of a year",
  "rate limits of the public API",
  "delete an account permanently",
  "single sign-on with Okta",
] as const;
const CURRENCIES = ["EUR", "USD", "NOK", "NZD", "JPY"] as const;
const CITIES = ["Oslo", "Wellington", "Lima", "Nairobi", "Kyoto", "Tromsø"] as const;
const text = (description: string, more: object = {}): object => ({ type: "string", description, ...more });
const customerId = (random: Random): string => `cus_${random.int(1000, 1400)}`;

export const TEAM_TOOLS: readonly TeamTool[] = [
  teamTool({
    name: "find_customer",
    description: "Find customers by name, email address or number, best match first.",
    tags: ["crm"],
    annotations: { readOnlyHint: true },
    properties: {
      query: text("A name, an email address or a number", { minLength: 2 }),
      limit: { type: "integer", minimum: 1, maximum: 50, default: 5, description: "Maximum number of customers" },
    },
    required: ["query"],
    response: { customers: [{ id: "cus_1042", name: "Ada Byron", plan: "team" }], total: 1 },
    weight: 24,
    medianMs: 95,
    spread: 0.5,
    args: (random) => ({
      query: random.chance(0.6) ? random.pick(NAMES) : `${random.letters(6).toLowerCase()}@example.org`,
      ...(random.chance(0.3) ? { limit: random.int(1, 10) } : {}),
    }),
    result: (random) => ({
      customers: Array.from({ length: random.int(0, 3) }, () => ({
        id: customerId(random),
        name: random.pick(NAMES),
        plan: random.pick(["free", "team", "enterprise"]),
      })),
      total: random.int(0, 3),
    }),
    wrong: [
      '{"name":"Ada Byron"}',
      '{"query":"a"}',
      '{"query":"Chen Wei","limit":"5"}',
      '{"query":"Dara","limit":500}',
    ],
    errors: ["The directory answered 429: too many requests, try again in 2 s"],
    service: "crm.internal:443",
  }),
  teamTool({
    name: "list_orders",
    description: "List a customer's orders with state and total, newest first.",
    tags: ["crm", "billing"],
    annotations: { readOnlyHint: true, idempotentHint: true },
    properties: {
      customer_id: text("An id from find_customer", { pattern: "^cus_[0-9]+$" }),
      state: { enum: ["open", "paid", "shipped", "refunded"], description: "Return only orders in this state" },
      since: text("Return only orders since this date", { format: "date" }),
    },
    required: ["customer_id"],
    response: { orders: [{ id: "ord_77120", state: "paid", total: { amount: 129, currency: "EUR" } }] },
    weight: 17,
    medianMs: 180,
    spread: 0.55,
    args: (random) => ({
      customer_id: customerId(random),
      ...(random.chance(0.4) ? { state: random.pick(["open", "paid", "shipped", "refunded"]) } : {}),
      ...(random.chance(0.2) ? { since: `2026-${String(random.int(1, 9)).padStart(2, "0")}-01` } : {}),
    }),
    result: (random) => ({
      orders: Array.from({ length: random.int(0, 6) }, () => ({
        id: `ord_${random.int(70_000, 79_999)}`,
        state: random.pick(["open", "paid", "shipped", "refunded"]),
        total: { amount: random.int(900, 49_900) / 100, currency: random.pick(CURRENCIES) },
      })),
    }),
    wrong: ['{"customer":"cus_1042"}', '{"customer_id":"1042"}', '{"customer_id":"cus_1042","state":"lost"}'],
    errors: ["No customer cus_1399", "The order service answered 500"],
    service: "orders.internal:8443",
  }),
  teamTool({
    name: "search_docs",
    description: "Search the help center and return the passages that answer a question.",
    tags: ["support"],
    annotations: { readOnlyHint: true, openWorldHint: true },
    properties: {
      question: text("In the customer's own words"),
      language: { enum: ["en", "nb", "es", "ja"], default: "en", description: "Language of the articles" },
    },
    required: ["question"],
    response: { passages: [{ title: "Resetting a password", url: "https://help.example.org/reset", score: 0.91 }] },
    weight: 19,
    medianMs: 420,
    spread: 0.6,
    args: (random) => ({ question: `How can I ${random.pick(QUESTIONS)}?`, language: random.pick(["en", "nb", "es"]) }),
    result: (random) => ({
      passages: Array.from({ length: random.int(1, 4) }, (_, rank) => ({
        title: random.pick(QUESTIONS),
        url: `https://help.example.org/articles/${random.int(100, 999)}`,
        score: Math.round((0.95 - rank * 0.11 - random.next() / 20) * 100) / 100,
      })),
    }),
    wrong: ['{"query":"refund"}', '{"question":"refund","language":"fr"}', '{"question":["refund"]}'],
    errors: ["The index is being rebuilt; search is back in a minute"],
    service: "search.internal:9200",
  }),
  teamTool({
    name: "create_ticket",
    description: "Open a support ticket for a customer and return its number.",
    tags: ["support"],
    annotations: { destructiveHint: false },
    properties: {
      customer_id: text("An id from find_customer"),
      subject: text("One line", { maxLength: 120 }),
      priority: { enum: ["low", "normal", "urgent"], default: "normal", description: "How soon the team looks at it" },
    },
    required: ["customer_id", "subject"],
    response: { ticket: "TCK-20917", state: "open" },
    weight: 7,
    medianMs: 260,
    spread: 0.4,
    args: (random) => ({
      customer_id: customerId(random),
      subject: `Wants to ${random.pick(QUESTIONS)}`,
      priority: random.pick(["low", "normal", "normal", "urgent"]),
    }),
    result: (random) => ({ ticket: `TCK-${random.int(20_000, 29_999)}`, state: "open" }),
    wrong: ['{"customer_id":"cus_1042"}', '{"subject":"Refund","priority":"high"}'],
    errors: ["This customer has an open ticket with the same subject: TCK-20811"],
    service: "desk.internal:443",
  }),
  teamTool({
    name: "query_warehouse",
    description: "Answer a question about the business with one read-only query of the warehouse.",
    tags: ["analytics"],
    annotations: { readOnlyHint: true, openWorldHint: false },
    properties: {
      sql: text("One SELECT statement"),
      max_rows: { type: "integer", minimum: 1, maximum: 10_000, description: "Maximum number of rows" },
    },
    required: ["sql"],
    timeoutMs: 20_000,
    response: { columns: ["day", "orders"], rows: [["2026-11-01", 412]], took_ms: 1840 },
    weight: 6,
    medianMs: 1900,
    spread: 0.8,
    args: (random) => ({
      sql: `SELECT day, count(*) FROM ${random.pick(["orders", "tickets", "sessions"])} WHERE day > now() - interval '${random.int(1, 90)} days' GROUP BY day`,
      max_rows: random.pick([100, 1000]),
    }),
    result: (random) => ({
      columns: ["day", "count"],
      rows: Array.from({ length: random.int(3, 28) }, (_, day) => [
        `2026-10-${String(day + 1).padStart(2, "0")}`,
        random.int(80, 900),
      ]),
    }),
    wrong: ['{"query":"SELECT 1"}', '{"sql":"SELECT 1","max_rows":0}'],
    errors: ['relation "order" does not exist (line 1, column 28)', "Only SELECT is allowed here"],
    service: "warehouse.internal:5432",
  }),
];

/** The sample tools in a week's work; left out where the configuration has none of that name. */
export const SAMPLE_TOOLS: readonly WeekTool[] = [
  {
    name: "get_weather",
    weight: 11,
    medianMs: 0.4,
    spread: 0.5,
    args: (random) => ({
      location: random.pick(CITIES),
      ...(random.chance(0.5) ? { units: random.pick(["celsius", "fahrenheit"]) } : {}),
    }),
    result: () => ({ temperature: 22, condition: "sunny", humidity: 65, wind: { speed: 4.1, direction: "SW" } }),
    wrong: ['{"city":"Oslo"}', '{"location":"Lima","units":"kelvin"}', '{"location":"Kyoto","days":1.5}'],
    errors: [],
    service: null,
  },
  {
    name: "calculator",
    weight: 10,
    medianMs: 6,
    spread: 0.7,
    args: (random) => ({ expression: `${random.int(2, 99)} * ${random.int(2, 99)}` }),
    result: (_, { expression }) => ({
      result: String(expression)
        .split(" * ")
        .reduce((product, part) => product * Number(part), 1),
    }),
    wrong: ['{"expression":42}', "{}"],
    errors: ["Unexpected end of expression (char 4)", "Undefined symbol vat"],
    service: null,
  },
  {
    name: "clock",
    weight: 4,
    medianMs: 0.5,
    spread: 0.4,
    args: (random) => ({ timezone: random.pick(["Europe/Oslo", "UTC", "Pacific/Auckland"]) }),
    result: (_, { timezone = null }, at) => ({ timezone, utc: new Date(at).toISOString(), epoch_ms: at }),
    wrong: ['{"timezone":2}'],
    errors: ['Unknown time zone "Oslo"; use an IANA name such as "Europe/Oslo" or "UTC"'],
    service: null,
  },
  {
    name: "search_tools",
    weight: 2,
    medianMs: 0.6,
    spread: 0.4,
    args: (random) => ({ query: random.pick(["customer", "order", "weather", "ticket"]), limit: 5 }),
    result: (random, { query = null }) => ({
      query,
      tools: [random.pick(["find_customer", "list_orders", "get_weather"])],
    }),
    wrong: ['{"words":"order"}', '{"query":"order","limit":0}'],
    errors: [],
    service: null,
  },
];
