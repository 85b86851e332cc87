import { LOCAL_PRINCIPAL } from "../../src/lib/contract/access";
import { alertRuleInputSchema } from "../../src/lib/contract/alert";
import { callRuleInputSchema } from "../../src/lib/contract/call-rule";
import type { RetentionPolicy } from "../../src/lib/contract/retention";
import { ruleCaseInputSchema } from "../../src/lib/contract/rule-case";
import type { ToolDefinition } from "../../src/lib/contract/tool-definition";
import { toolsetInputSchema } from "../../src/lib/contract/toolset";
import type { WebhookInput } from "../../src/lib/contract/webhook";
import type { ArgumentValidator } from "../../src/server/engine/ports";
import { seedClients } from "./clients";
import { getTimeout, type PastExecution, toMicros, toRefusal, toRows, toVerdict } from "./past-calls";
import { createRandom, type Random } from "./random";
import { readTools } from "./read-stories";
import { createRuleRecorder, readPrices } from "./recorded-rules";
import { type PastPorts, registerTools, type SeedContext, type Services } from "./seed-context";
import { DAY_MS, type PlannedCall, planDay } from "./week-plan";

const DAYS = 7;
/** Events after the seeds come later than the times that the seeds name. */
const MARGIN_MS = 45_000;

/** The last seven days (UTC, today included) up to now. Of a week that is there already, only what has come since. */
export async function seedBusyWeek({ now, isDemo, withServices, withPast, queueCall }: SeedContext): Promise<string> {
  const until = now - MARGIN_MS;
  const week = (Math.floor(now / DAY_MS) - DAYS + 1) * DAY_MS;
  const { registered, definitions, added, prices, record } = await withServices(async (services) => {
    const made = await registerTools(services, readTools<ToolDefinition>("team-tools.json"));
    const support = await prepareSupport(services);
    const added = [...support, ...(isDemo ? await addRules(services) : [])];
    const rules = services.rules.all();
    return { ...made, added, prices: readPrices(rules), record: createRuleRecorder(rules) };
  });
  const planned = Array.from({ length: DAYS }, (_, day) => planDay(week + day * DAY_MS))
    .flat()
    .filter(({ at, tool }) => at <= until && definitions.has(tool.name));
  const written = await withPast((ports) => queueMissing(ports, queueCall, planned, { definitions, prices, record }));
  const clients = await withPast((ports) => seedClients(ports, [...definitions.values()], planned, until));
  const since = new Date(week).toISOString().slice(0, "2026-11-21".length);
  const others = [...added, ...(clients === 0 ? [] : [`${clients} clients`])].map((each) => `, ${each}`).join("");
  return `${written} calls since ${since} (${planned.length} planned), ${registered} new tools${others}`;
}

/** The toolset that the support team gives its models. */
const SUPPORT = toolsetInputSchema.parse({
  name: "support",
  title: "Customer support",
  askReason: true,
  description: "Look customers and orders up before you answer. Open a ticket for what you cannot solve.",
  tools: ["find_customer", "list_orders", "search_docs", "create_ticket"],
  overrides: [
    {
      tool: "create_ticket",
      name: "escalate",
      title: "Escalate to a person",
      approval: "always",
      arguments: [{ name: "priority", mode: "default", value: "normal" }],
    },
  ],
});
const LENS = { tool: "list_orders", expression: "orders[].{id: id, state: state}" };

/** Disabled: sample calls are told to nobody. */
const WEBHOOK: WebhookInput = {
  url: "https://hooks.example.org/toolroom",
  description: "Support chat",
  enabled: false,
  events: ["approval.requested", "server.disconnected"],
  tools: [],
  approverId: null,
};
/** None of the sample calls is that old. */
const RETENTION: RetentionPolicy = {
  rules: [
    { scope: "tool", name: "create_ticket" },
    { scope: "other", maxAgeDays: 90, maxBytes: 2 * 1024 ** 3 },
    { scope: "runs", maxAgeDays: 90 },
  ],
};

/** What the team looks at each morning. */
const VIEWS = [
  { name: "Failed today", query: "status=failed&range=today" },
  {
    name: "Slow orders, 7 days",
    query: "tool=list_orders&range=7d&duration=from_100ms,from_1s,from_10s&chart=duration",
  },
];

const ALERT_RULES = [
  { name: "A client sends invalid calls", kind: "invalid_rate", each: "client", threshold: 30, windowMinutes: 60 },
  { name: "Orders fail", kind: "failure_rate", tool: "list_orders", threshold: 10, windowMinutes: 60, minCalls: 5 },
  { name: "Server away", kind: "server_down", threshold: 10, notify: "operator" },
  { name: "A limit is nearly used", kind: "limit_usage", threshold: 80 },
].map((rule) => alertRuleInputSchema.parse(rule));

/** The one about the night only records: its effect is a choice that the team has not made. */
const CALL_RULES = [
  {
    name: "Large refunds need an admin",
    scope: { tools: ["refund_order"] },
    condition: "args.amount > 100",
    fallback: "match",
    effect: { kind: "ask", approver: "admin" },
  },
  {
    name: "No bulk searches by programs",
    scope: { tools: ["find_customer"] },
    caller: { sources: ["gateway", "api"] },
    condition: "has(args.limit) && args.limit > 100",
    effect: { kind: "deny", reason: "Ask for 100 customers at most, or search for a name" },
  },
  {
    name: "Orders at night",
    state: "record",
    scope: { tools: ["list_orders"] },
    condition: 'time.getHours("Europe/Berlin") < 6',
    effect: { kind: "ask" },
  },
  {
    name: "Programs ask before they read resources",
    state: "record",
    scope: { kinds: ["resource"] },
    caller: { sources: ["gateway"] },
    effect: { kind: "ask" },
  },
  {
    name: "200 calls of a tool in an hour",
    caller: { sources: ["gateway", "api", "agent"] },
    effect: { kind: "limit", most: 200, minutes: 60, per: ["user", "tool"] },
  },
  { name: "A search costs a cent", scope: { tools: ["find_customer"] }, effect: { kind: "price", price: "0.01" } },
  {
    name: "Programs get no names of customers",
    scope: { tools: ["find_customer"] },
    caller: { sources: ["gateway", "api", "agent"] },
    effect: { kind: "redact", paths: ["result.customers[*].name"], presets: ["email"] },
  },
  {
    name: "The fraud check sees large refunds",
    state: "record",
    scope: { tools: ["refund_order"] },
    condition: "args.amount > 50",
    effect: { kind: "hook", url: "https://fraud.example.org/toolroom", onFailure: "allow" },
  },
  {
    name: "Tests refund nothing",
    scope: { tools: ["refund_order"] },
    caller: { sources: ["test"] },
    effect: { kind: "route", tool: "rehearse_refund" },
  },
].map((rule) => callRuleInputSchema.parse(rule));

/** Stands in for a tool that sends money. @param refund the real one */
const toRehearsal = (refund: ToolDefinition): ToolDefinition => ({
  ...refund,
  name: "rehearse_refund",
  handler: "rehearse_refund",
  description: "Answer as refund_order does, without sending money.",
});

const RULE_CASES = [
  {
    name: "Small refunds run",
    call: { tool: "refund_order", arguments: { order_id: "A-1001", amount: 19.9 } },
    expect: { outcome: "none" },
  },
  {
    name: "Large refunds wait for an admin",
    call: { tool: "refund_order", arguments: { order_id: "A-1002", amount: 480 } },
    expect: { outcome: "ask", rule: "Large refunds need an admin" },
  },
  {
    name: "Programs search for 100 customers at most",
    call: { tool: "find_customer", arguments: { query: "Smith", limit: 500 }, source: "gateway" },
    expect: { outcome: "deny", rule: "No bulk searches by programs" },
  },
  {
    name: "Refunds of tests are rehearsed",
    call: { tool: "refund_order", arguments: { order_id: "A-1003", amount: 20 }, source: "test" },
    expect: { outcome: "none", effects: ["route"] },
  },
].map((each) => ruleCaseInputSchema.parse(each));

/** @returns what it added, in words */
async function prepareSupport({ tools, toolsets, views, api }: Services): Promise<string[]> {
  const added: string[] = [];
  if (!toolsets.has(SUPPORT.name)) {
    await api.toolsets.create(SUPPORT);
    added.push(`the toolset ${SUPPORT.name}`);
  }
  if (tools.get(LENS.tool).lens === null) {
    await api.tools.setLens({ name: LENS.tool, expression: LENS.expression });
    added.push(`a lens of ${LENS.tool}`);
  }
  if ((await views.list()).length === 0) {
    for (const view of VIEWS) await api.views.create({ view });
    added.push(`${VIEWS.length} saved views`);
  }
  return added;
}

/** What deletes data or notifies others: for a database of its own. @returns what it added, in words */
async function addRules(services: Services): Promise<string[]> {
  const { retention, webhooks, alerts, rules, ruleCases, tools, api } = services;
  const added: string[] = [];
  const { revision } = await retention.get(LOCAL_PRINCIPAL);
  if (revision === 0) {
    await api.retention.save({ policy: RETENTION });
    added.push(`${RETENTION.rules.length} retention rules`);
  }
  if ((await webhooks.list(LOCAL_PRINCIPAL)).length === 0) {
    await api.webhooks.create({ webhook: WEBHOOK });
    added.push("a disabled webhook");
  }
  if ((await alerts.rules()).length === 0) {
    for (const rule of ALERT_RULES) await api.alerts.createRule({ rule });
    added.push(`${ALERT_RULES.length} alert rules`);
  }
  if ((await rules.list()).length === 0) {
    if (tools.has("refund_order")) await registerTools(services, [toRehearsal(tools.get("refund_order").definition)]);
    for (const rule of CALL_RULES) await api.rules.create({ rule });
    added.push(`${CALL_RULES.length} rules for calls`);
  }
  if (ruleCases.all().length === 0) {
    for (const each of RULE_CASES) await api.ruleCases.create({ case: each });
    added.push(`${RULE_CASES.length} cases of rules`);
  }
  return added;
}

type Definitions = ReadonlyMap<string, ToolDefinition>;

interface QueueOptions {
  definitions: Definitions;
  prices: ReturnType<typeof readPrices>;
  record: ReturnType<typeof createRuleRecorder>;
}

/** @returns how many of the calls were not there yet */
async function queueMissing(
  { executions, validator }: PastPorts,
  queueCall: SeedContext["queueCall"],
  planned: readonly PlannedCall[],
  { definitions, prices, record }: QueueOptions,
): Promise<number> {
  const there = await Promise.all(planned.map(({ id }) => executions.summary(id)));
  const calls = planned.filter((_, at) => there[at] === null);
  for (const call of calls) {
    const { start, end } = toRows(await toPastExecution(call, definitions, validator));
    const cost = end.startedAt === null ? undefined : prices.get(call.tool.name);
    queueCall(call.at, (stores) =>
      stores.executions.record(record(start), cost === undefined ? end : { ...end, cost }),
    );
  }
  return calls.length;
}

async function toPastExecution(
  call: PlannedCall,
  definitions: Definitions,
  validator: ArgumentValidator,
): Promise<PastExecution> {
  const { id, at, tool, toolName, origin, end } = call;
  const { args, result } = call.call;
  const random = createRandom(at);
  const definition = definitions.get(toolName) ?? null;
  const common = { id, at, tool: toolName, definition, argumentsText: JSON.stringify(args), origin };
  const runMs = toMicros(Math.min(random.duration(tool.medianMs, tool.spread), getTimeout(definition) - 1));
  const outcome = toOutcome(call, runMs, definition, random);
  return {
    ...common,
    ...outcome,
    ...(end === "invalid" ? { verdict: await toRefusal(validator, definition, args) } : {}),
    ...(end === "succeeded" ? { result } : {}),
    validateMs: toMicros(random.duration(0.06, 0.6)),
    recordMs: toMicros(random.duration(0.5, 0.5)),
  };
}

/** How the call ended; `runMs` is how long it takes unless that ends it earlier. */
function toOutcome(
  { tool, toolName, call, end }: PlannedCall,
  runMs: number,
  definition: ToolDefinition | null,
  random: Random,
): Pick<PastExecution, "runMs" | "verdict"> {
  const verdict = (message: string) =>
    end === "succeeded" || end === "invalid" ? null : toVerdict({ kind: end, message }, toolName, definition);
  switch (end) {
    case "succeeded":
      return { runMs, verdict: null };
    case "invalid":
    case "not_found":
      return { runMs: null, verdict: verdict("") };
    case "tool_error":
      return { runMs, verdict: verdict(call.error?.message ?? "") };
    case "unavailable": {
      const message = `Service '${tool.service ?? "localhost"}' is unavailable: connection refused (ECONNREFUSED)`;
      return { runMs: toMicros(random.duration(3, 0.4)), verdict: verdict(message) };
    }
    case "timeout":
      return { runMs: getTimeout(definition) + random.next() * 3, verdict: verdict("") };
    case "cancelled":
      return { runMs: runMs / 2, verdict: verdict("") };
  }
}
