import { LOCAL_PRINCIPAL } from "../../src/lib/contract/access";
import { type SuiteInput, suiteInputSchema } from "../../src/lib/contract/suite";
import { registerTools, type SeedContext } from "./seed-context";

/** A mock with responses for some arguments. */
export const EXCHANGE_RATE = {
  name: "exchange_rate",
  description: "Get the exchange rate between two currencies.",
  type: "function",
  handler: "exchange_rate",
  tags: ["sample"],
  annotations: { readOnlyHint: true },
  parameters: {
    type: "object",
    properties: {
      from: { type: "string", description: "Currency code", pattern: "^[A-Z]{3}$", examples: ["EUR"] },
      to: { type: "string", description: "Currency code", pattern: "^[A-Z]{3}$", examples: ["NOK"] },
    },
    required: ["from", "to"],
  },
  implementation: {
    type: "mock",
    mock_response: { rate: 1, source: "default" },
    mock_responses: [
      { when: { equals: { from: "EUR", to: "NOK" } }, response: { rate: 11.62, source: "table" } },
      { when: { path: "/from", value: "XXX" }, error: "Unknown currency XXX" },
    ],
    mock_delay_ms: { min: 5, max: 20 },
  },
};

const SAMPLES: SuiteInput = suiteInputSchema.parse({
  name: "samples",
  description: "The sample tools return what their documentation says.",
  tests: [
    {
      name: "weather of Oslo",
      tool: "get_weather",
      arguments: { location: "Oslo", units: "celsius" },
      assertions: [
        { kind: "subset", value: { condition: "sunny" } },
        { kind: "path", path: "/wind/speed", is: "equals", value: 4.1 },
        { kind: "time", maxMs: 1_000 },
      ],
    },
    {
      name: "weather without a location is refused",
      tool: "get_weather",
      arguments: { units: "celsius" },
      assertions: [{ kind: "error", error: "invalid_arguments", message: "location" }],
    },
    {
      name: "calculator multiplies",
      tool: "calculator",
      arguments: { expression: "12 * 7" },
      assertions: [{ kind: "path", path: "/result", is: "exists" }],
    },
    {
      name: "calculator names a broken expression",
      tool: "calculator",
      arguments: { expression: "2 +" },
      assertions: [{ kind: "error", error: "tool_error" }],
    },
    {
      name: "echo repeats the message",
      tool: "echo",
      arguments: { message: "What you send is what you get" },
      assertions: [{ kind: "schema", schema: { type: ["object", "string", "array"] } }],
    },
    {
      name: "exchange rate from the table",
      tool: "exchange_rate",
      arguments: { from: "EUR", to: "NOK" },
      assertions: [
        { kind: "equals", value: { rate: 11.62, source: "table" } },
        { kind: "size", maxBytes: 200 },
      ],
    },
    {
      name: "exchange rate of an unknown currency",
      tool: "exchange_rate",
      arguments: { from: "XXX", to: "NOK" },
      assertions: [{ kind: "error", error: "tool_error", message: "Unknown currency" }],
    },
  ],
  schedule: { cron: "0 6 * * mon-fri", timeZone: "UTC" },
});

const REPLAYED = 12;

/** A suite of the sample tools, with a run of it and a replay of recorded calls. */
export async function seedSuites({ isDemo, withServices }: SeedContext): Promise<string> {
  return withServices(async (services) => {
    const { suites, tools, executions, api } = services;
    await registerTools(services, [EXCHANGE_RATE]);
    const there = new Set(tools.list().items.map(({ name }) => name));
    const schedule = isDemo ? SAMPLES.schedule : null;
    const suite = { ...SAMPLES, schedule, tests: SAMPLES.tests.filter(({ tool }) => there.has(tool)) };
    await api.suites.import({ toolroomSuites: 1, suites: [suite] });
    const ran = await api.suites.run({ name: suite.name });
    const { passed, total } = await suites.awaitRun(ran.id, 60_000);
    const filter = { tool: ["get_weather"], status: ["succeeded" as const] };
    const ids = (await executions.list(filter, undefined, REPLAYED)).items.map(({ id }) => id);
    const replay = { reader: LOCAL_PRINCIPAL };
    if (ids.length > 0) await suites.awaitRun((await suites.startReplay(LOCAL_PRINCIPAL, { ids }, replay)).id, 60_000);
    return `a suite of ${total} tests, of which ${passed} pass${ids.length > 0 ? ", and a replay" : ""}`;
  });
}
