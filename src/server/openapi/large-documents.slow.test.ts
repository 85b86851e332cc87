import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../lib/contract/json";
import { createSample } from "../../lib/sample.test-support";
import { sampleValue } from "../../lib/schema/describe/initial-values";
import { openValidator } from "../platform/workers/ajv-validator.test-support";
import {
  apiSettings,
  buildDocument,
  connectApi,
  type PublicDocument,
  publicDocument,
  startStub,
} from "./openapi.test-support";

const { validator } = openValidator();
/** The time limit for compiling thousands of schemas on a busy machine. */
const TIMEOUT_MS = 240_000;
/** Every so many output schemas are compiled, and every input schema in continuous integration, elsewhere one of these. */
const OUTPUTS = 4;

/** How many operations each has, and how many of them are called: enough to meet every style. */
const DOCUMENTS: [PublicDocument, { operations: number; called: number }][] = [
  ["github", { operations: 1223, called: 200 }],
  ["stripe", { operations: 452, called: 200 }],
  ["notion", { operations: 13, called: 13 }],
  ["apideck-files", { operations: 33, called: 33 }],
  ["azure-face", { operations: 69, called: 69 }],
  ["petstore-20", { operations: 20, called: 20 }],
  ["petstore", { operations: 20, called: 20 }],
  ["petstore-31", { operations: 20, called: 20 }],
];

const http = (tool: Record<string, unknown>) =>
  (tool._meta as { "toolroom/http": { method: string; path: string } } | undefined)?.["toolroom/http"];

/** The path of a request with what fills the placeholders of an operation's path. */
function toPathPattern(path: string): RegExp {
  const parts = path.split(/\{[^{}]+\}/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^/base${parts.join(".+")}(?:\\?|$)`);
}

describe.each(DOCUMENTS)("the public document %s", (name, { operations, called }) => {
  it("becomes a tool for every operation, with a valid unique name and bounded schemas that compile (all in continuous integration, elsewhere a sample), which is called with sample arguments by its own method and path", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { requests, origin } = await startStub();
    const { tools, call } = await connectApi(apiSettings(publicDocument(name), `${origin}/base/`));
    expect(tools).toHaveLength(operations);
    const usable = tools.filter((tool) => !("toolroom_unreadable" in tool));
    expect(operations - usable.length).toBeLessThanOrEqual(1);
    expect(new Set(tools.map((tool) => tool.name)).size).toBe(operations);
    const isSampled = createSample(OUTPUTS, name);
    for (const [index, tool] of usable.entries()) {
      expect(tool.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(JSON.stringify(tool).length).toBeLessThan(120_000);
      const schemas = [
        isSampled() ? tool.inputSchema : undefined,
        index % OUTPUTS === 0 ? tool.outputSchema : undefined,
      ];
      for (const schema of schemas.filter((each) => each !== undefined) as JsonSchema[]) {
        expect(validator.checkSchema(schema, { compile: true }), String(tool.name)).toBeNull();
        // Formats of the document's own, such as "unix-time", are all that is not checked.
        const unchecked = validator.uncheckedKeywords(schema).filter(({ keyword }) => keyword !== "format");
        expect(unchecked, String(tool.name)).toEqual([]);
      }
    }
    const step = Math.max(1, Math.floor(usable.length / called));
    for (const tool of usable.filter((_, index) => index % step === 0)) {
      const schema = tool.inputSchema as JsonSchema;
      const args = sampleValue(schema, schema) as Record<string, unknown>;
      const result = await call(String(tool.name), args);
      expect(result.isError, String(tool.name)).toBeUndefined();
      const request = requests.at(-1);
      expect(request?.method).toBe(http(tool)?.method);
      expect(request?.url).toMatch(toPathPattern(http(tool)?.path ?? ""));
    }
    expect(requests.length).toBeGreaterThanOrEqual(Math.min(called, 19));
  });
});

it("a document with 100,000 operations lists the first 2,000 and says how to select others", {
  timeout: TIMEOUT_MS,
}, async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 100_000 }, (_, at) => [`/p${at}`, { get: { tags: [`t${at % 7}`] } }]),
  );
  const { tools, bench } = await connectApi(apiSettings(buildDocument(paths), "https://api.example.com"));
  expect(tools).toHaveLength(2000);
  expect(bench.lines.map(({ line }) => line.text)).toContain(
    "98000 more operations were left out: select some by tag or path",
  );
});
