import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../lib/contract/json";
import { sampleValue } from "../../lib/schema/describe/initial-values";
import { createToolEngine } from "../create-tool-engine";

/** Real definitions that lie beside the project where there are any; they are not part of it. */
const FIXTURES = path.resolve("../shared/fixtures");

interface Described {
  name: string;
  parameters: JsonSchema;
}

/** The cases of our own making, for where the folder is absent. */
const OWN: Described[] = [
  {
    name: "own",
    parameters: {
      type: "object",
      properties: {
        day: { type: "string", format: "date" },
        mode: { enum: ["walk", "bus"] },
        count: { type: "integer", minimum: 3, multipleOf: 2 },
        stops: { type: "array", minItems: 1, items: { $ref: "#/$defs/stop" } },
        target: { oneOf: [{ type: "string", minLength: 9 }, { type: "null" }] },
      },
      required: ["day", "mode", "count", "stops", "target"],
      $defs: { stop: { type: "object", properties: { at: { type: "number" } }, required: ["at"] } },
    },
  },
];

function listTools(): Described[] {
  const calls = path.join(FIXTURES, "bfcl-sample.jsonl");
  const servers = path.join(FIXTURES, "mcp-tools");
  const lines = existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : [];
  const files = existsSync(servers) ? readdirSync(servers).filter((file) => file.endsWith(".json")) : [];
  const listed = files.flatMap((file) => JSON.parse(readFileSync(path.join(servers, file), "utf8")).tools);
  return [
    ...OWN,
    ...lines.map((line) => JSON.parse(line).tool),
    ...listed.map(({ name, inputSchema }) => ({ name, parameters: inputSchema })),
  ];
}

describe("an example that is inserted", () => {
  it("VAL-05 satisfies every real schema, as the executor checks", async () => {
    const { executor, registry } = createToolEngine();
    for (const [at, { name, parameters }] of listTools().entries()) {
      const implementation = { type: "mock" as const, mock_response: name };
      registry.register({
        name: `t${at}`,
        description: name,
        type: "function",
        handler: "mock",
        parameters,
        implementation,
      });
      const example = sampleValue(parameters, parameters) as Record<string, unknown>;
      expect(await executor.execute(`t${at}`, example)).toMatchObject({ success: true, result: name });
    }
  });
});
