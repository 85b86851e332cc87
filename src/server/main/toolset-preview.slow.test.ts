import { afterAll, beforeAll, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { type ToolsetInput, toolsetInputSchema } from "../../lib/contract/toolset";
import { estimateTokens } from "../../lib/estimate-tokens";
import {
  type GatewayContainer,
  newDatabaseUrl,
  rawClient,
  startGatewayContainer,
} from "../mcp/gateway/gateway-container.test-support";
import { seededRandom } from "../platform/random-schemas.test-support";

const TOOLS = ["alpha", "beta", "gamma", "delta", "epsilon"];
const TOOLSETS = 40;
/** One of them has a lens of its own, and promises what its results look like. */
const LENS_OF_TOOL = "beta";

let server: GatewayContainer;
const services = () => server.container.services;

const toDefinition = (name: string, at: number) => ({
  type: "function",
  name,
  handler: name,
  title: at % 2 === 0 ? `Tool ${name}` : undefined,
  description: `Does what ${name} does, for the ${at}th time.`,
  parameters: {
    type: "object",
    properties: { place: { type: "string", default: "Oslo" }, count: { type: "integer" } },
    required: at % 2 === 0 ? ["place"] : [],
  },
  outputSchema: at < 3 ? { type: "object", properties: { total: { type: "integer" } } } : undefined,
  annotations: { readOnlyHint: at % 2 === 0, title: `Annotated ${name}` },
  implementation: { type: "mock", mock_response: { total: at } },
});

beforeAll(async () => {
  server = await startGatewayContainer(await newDatabaseUrl());
  for (const [at, name] of TOOLS.entries()) {
    await services().tools.create(LOCAL_PRINCIPAL, JSON.stringify(toDefinition(name, at)));
  }
  await services().tools.setLens(LOCAL_PRINCIPAL, LENS_OF_TOOL, "total");
});
afterAll(() => server.stop());

function createToolset(name: string, random: () => number): ToolsetInput {
  const chance = (share: number): boolean => random() < share;
  const tools = TOOLS.filter(() => chance(0.6));
  const overrides = tools
    .filter(() => chance(0.5))
    .map((tool) => ({
      tool,
      ...(chance(0.4) && { name: `shown_${tool}` }),
      ...(chance(0.3) && { title: "Other title" }),
      ...(chance(0.4) && { description: "Other words." }),
      ...(chance(0.4) && { lens: chance(0.5) ? "total" : null }),
      arguments: chance(0.5) ? [{ name: "place", mode: "fixed", value: "Bergen" }] : [],
    }));
  return toolsetInputSchema.parse({
    name,
    tools,
    overrides,
    discovery: chance(0.4),
    pinned: tools.filter(() => chance(0.4)),
    askReason: chance(0.3),
  });
}

it("the preview of generated toolsets is what tools/list at their addresses answers, byte for byte, with its tokens", async () => {
  const random = seededRandom(3);
  let readers = 0;
  for (let at = 0; at < TOOLSETS; at += 1) {
    const input = createToolset(`set-${at}`, random);
    const preview = await services().toolsets.preview(input);
    await services().toolsets.create(LOCAL_PRINCIPAL, input);
    const { ask } = await rawClient(`${server.url}/sets/${input.name}`, "2026-07-28");
    const { result = {} } = (await ask("tools/list")).at(-1) ?? {};
    const texts = (result.tools as object[]).map((tool) => JSON.stringify(tool));
    expect({ input, served: preview.served.map(({ entryText }) => entryText) }).toEqual({ input, served: texts });
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    expect(preview.cost.find(({ format }) => format === "mcp")?.tokens).toBe(estimateTokens(length));
    if (preview.served.some(({ name }) => name === "read_result")) readers += 1;
  }
  expect(readers).toBeGreaterThan(5);
  expect(readers).toBeLessThan(TOOLSETS);
});
