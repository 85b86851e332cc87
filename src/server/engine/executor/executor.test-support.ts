import { onTestFinished } from "vitest";
import type { JsonSchema } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { createToolEngine, type ToolEngine, type ToolEngineOptions } from "../../create-tool-engine";
import type { ExecutionEnd, ExecutionJournal, ExecutionStart } from "../ports";

/** Closed when the test that calls it has finished. */
export function engineWith(options: ToolEngineOptions = {}): ToolEngine {
  const engine = createToolEngine(options);
  onTestFinished(() => engine.close());
  return engine;
}

export const NO_PARAMETERS: JsonSchema = { type: "object", properties: {} };
export const WEATHER: JsonSchema = {
  type: "object",
  properties: {
    location: { type: "string", description: "City name" },
    units: { type: "string", enum: ["celsius", "fahrenheit"] },
    days: { type: "integer" },
  },
  required: ["location"],
};

export function tool(
  name: string,
  implementation: ToolDefinition["implementation"],
  parameters = NO_PARAMETERS,
): ToolDefinition {
  return { name, description: `The ${name} tool`, type: "function", handler: name, parameters, implementation };
}

export function mock(name: string, mock_response: unknown, parameters = NO_PARAMETERS): ToolDefinition {
  return tool(name, { type: "mock", mock_response: mock_response as never }, parameters);
}

export function memoryJournal() {
  const rows: { phase: "begin" | "proceed" | "finish" | "record"; start: ExecutionStart; end?: ExecutionEnd }[] = [];
  const journal: ExecutionJournal = {
    begin: async (start) => void rows.push({ phase: "begin", start }),
    proceed: async (start) => rows.push({ phase: "proceed", start }) > 0,
    finish: async (start, end) => void rows.push({ phase: "finish", start, end }),
    record: async (start, end) => void rows.push({ phase: "record", start, end }),
  };
  return { rows, journal };
}
