import { existsSync, readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import type { JsonSchema } from "../../lib/contract/json";
import { PROVIDERS, type ToolDefinition } from "../../lib/contract/tool-definition";
import { createToolEngine } from "../create-tool-engine";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";

/** Real definitions and calls that lie beside the project where there are any; they are not part of it. */
const FIXTURES = path.resolve("../shared/fixtures");
const ADA = { ...LOCAL_PRINCIPAL, id: "ada", name: "Ada" };

interface Call {
  id: string;
  arguments: Record<string, unknown>;
  valid: boolean;
  kind: string;
  /** JSON pointer to the fault. */
  path?: string;
}
interface Case {
  tool: { id: string; name: string; description: string; parameters: JsonSchema };
  calls: Call[];
}

/** The cases of our own making, for where the folder is absent: the same shapes and kinds of fault. */
const OWN_CASES: Case[] = [
  {
    tool: {
      id: "own-1",
      name: "route.plan",
      description: "Plans a route between two places",
      parameters: {
        type: "object",
        properties: {
          from: { type: "string" },
          to: { type: "string" },
          mode: { type: "string", enum: ["walk", "bus"] },
          stops: {
            type: "array",
            items: { type: "object", properties: { minutes: { type: "integer" } }, required: ["minutes"] },
          },
        },
        required: ["from", "to"],
      },
    },
    calls: [
      { id: "1", valid: true, kind: "full", arguments: { from: "a", to: "b", mode: "bus", stops: [{ minutes: 3 }] } },
      { id: "2", valid: true, kind: "minimal", arguments: { from: "a", to: "b" } },
      { id: "3", valid: false, kind: "missing-required", path: "/to", arguments: { from: "a" } },
      { id: "4", valid: false, kind: "null-for-required", path: "/to", arguments: { from: "a", to: null } },
      { id: "5", valid: false, kind: "enum", path: "/mode", arguments: { from: "a", to: "b", mode: "car" } },
      { id: "6", valid: false, kind: "wrong-type-coercible", path: "/from", arguments: { from: 1, to: "b" } },
      {
        id: "7",
        valid: false,
        kind: "nested",
        path: "/stops/0/minutes",
        arguments: { from: "a", to: "b", stops: [{ minutes: "3" }] },
      },
    ],
  },
];

const bfclFile = path.join(FIXTURES, "bfcl-sample.jsonl");
const suites: [string, () => Case[], boolean][] = [
  ["a set of our own", () => OWN_CASES, true],
  [
    "100 tools and 300 calls of the Berkeley leaderboard",
    () =>
      readFileSync(bfclFile, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Case),
    existsSync(bfclFile),
  ],
];

for (const [name, read, present] of suites) {
  describe.skipIf(!present)(`every verdict matches through executor and store: ${name}`, () => {
    let container: Container;
    beforeAll(async () => {
      const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-real-"));
      container = await createContainer(
        readEnv({
          DATABASE_URL: `file:${folder}/real.db`,
          TOOLROOM_LOG_LEVEL: "silent",
          TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
        }),
      );
    });
    afterAll(() => container.close());

    it("VAL-05 EXE-06 each tool is imported as a mock; valid calls succeed, invalid ones are refused at their fault, and all are found again", async () => {
      const { tools, executions } = container.services;
      const wrong: unknown[] = [];
      let count = 0;
      for (const { tool, calls } of read()) {
        const toolName = `${tool.name}-${tool.id}`;
        const definition = {
          ...tool,
          name: toolName,
          type: "function",
          handler: tool.name,
          implementation: { type: "mock", mock_response: { of: tool.id } },
        };
        await tools.create(ADA, JSON.stringify(definition));
        for (const call of calls) {
          count += 1;
          const argumentsText = JSON.stringify(call.arguments);
          const ran = await executions.run(ADA, { tool: toolName, argumentsText });
          const stored = await executions.get(ran.id);
          const refusedThere =
            stored.errorKind === "invalid_arguments" &&
            stored.faults.some(({ pointer }) => pointer.startsWith(call.path ?? ""));
          const right = call.valid
            ? stored.status === "succeeded" && stored.resultText === JSON.stringify({ of: tool.id })
            : stored.status === "failed" && refusedThere;
          if (!right || stored.argumentsText !== argumentsText)
            wrong.push({ call: call.id, kind: call.kind, status: stored.status, faults: stored.faults });
        }
      }
      expect(wrong).toEqual([]);
      expect((await executions.counts()).executions).toBe(count);
    }, 120_000);
  });
}

describe.skipIf(!existsSync(path.join(FIXTURES, "mcp-tools")))("tools of published MCP servers", () => {
  it.each(["everything.json", "github.json"])(
    "REG-04 FMT-01 FMT-03 FMT-04 every input schema of %s registers and converts to all providers",
    (file) => {
      const { tools } = JSON.parse(readFileSync(path.join(FIXTURES, "mcp-tools", file), "utf8")) as {
        tools: { name: string; description?: string; inputSchema: JsonSchema }[];
      };
      expect(tools.length).toBeGreaterThan(10);
      const { registry } = createToolEngine();
      for (const tool of tools) {
        registry.register({
          name: tool.name,
          description: tool.description ?? tool.name,
          type: "function",
          handler: tool.name,
          parameters: tool.inputSchema,
          implementation: { type: "mock", mock_response: null },
        } satisfies ToolDefinition);
      }
      for (const provider of PROVIDERS) {
        const converted = registry.toProviderFormat(provider);
        expect(converted).toHaveLength(tools.length);
        expect(JSON.stringify(converted)).toContain(JSON.stringify(tools[0]?.inputSchema));
      }
    },
  );
});
