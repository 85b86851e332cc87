import { afterEach, expect, it } from "vitest";
import type { RunSettings } from "../../../lib/contract/run";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { toolsetInputSchema } from "../../../lib/contract/toolset";
import { prepareToolset } from "../../engine/toolsets/prepare-toolset";
import { createToolFinder } from "../../platform/workers/tool-finder";
import { SETTINGS, scratchDatabases, startLife } from "./run-service.test-support";

const databases = scratchDatabases();
afterEach(() => databases.remove());

function buildTool(name: string, ui: object): ToolDefinition {
  return {
    name,
    description: `The tool ${name} of a test.`,
    type: "function",
    handler: "echo",
    parameters: { type: "object" },
    implementation: { type: "builtin", handler: "echo" },
    _meta: { ui },
  };
}

const DEFINITIONS = [
  buildTool("chart", { resourceUri: "ui://chart" }),
  buildTool("redraw", { resourceUri: "ui://chart", visibility: ["app"] }),
];

const CHOICES: [string, RunSettings["tools"], object][] = [
  ["all tools", { mode: "all" }, {}],
  ["tools by name", { mode: "some", tools: ["chart", "redraw"], servers: [] }, {}],
  ["a toolset", { mode: "toolset", toolset: "set" }, {}],
  ["a toolset with discovery", { mode: "toolset", toolset: "set" }, { discovery: true, pinned: ["chart", "redraw"] }],
];

it.each(CHOICES)(
  "a model with %s is not offered what only Apps may call, and cannot call it",
  async (_, tools, more) => {
    let definitions: readonly ToolDefinition[] = [];
    const input = toolsetInputSchema.parse({ name: "set", tools: ["chart", "redraw"], ...more });
    const { engine, model, runToEnd, executionStore } = await startLife(
      [{ calls: [{ name: "chart" }, { name: "redraw" }] }, { text: "Done" }],
      {
        scratch: await databases.open(),
        definitions: DEFINITIONS,
        ports: {
          toolset: () =>
            prepareToolset(
              { ...input, createdAt: 0, updatedAt: 0 },
              { definitions, aliasNames: () => new Map(), createFinder: createToolFinder },
            ),
        },
      },
    );
    definitions = engine.registry.list();
    const { id } = await runToEnd("Draw", { ...SETTINGS, tools });
    const offered = model.requests[0]?.options.tools?.map(({ name }) => name) ?? [];
    expect(offered).toContain("chart");
    expect(offered).not.toContain("redraw");
    const [drawn, redrawn] = model.requests[1]?.messages.at(-1)?.contents ?? [];
    // The page of the run offers the App of the call.
    expect(drawn).toMatchObject({ result: expect.any(String), app: true });
    expect(redrawn).toMatchObject({ exception: expect.anything() });
    const recorded = await executionStore.findByRun(id);
    const succeeded = recorded.filter(({ status }) => status === "succeeded");
    expect(succeeded.map((call) => call.id)).toEqual([(drawn as { executionId?: string }).executionId]);
  },
);
