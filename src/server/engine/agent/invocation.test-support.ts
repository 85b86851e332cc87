import type { ChatMessage, FunctionCallContent } from "../../../lib/contract/chat";
import type { JsonSchema } from "../../../lib/contract/json";
import { createToolEngine } from "../../create-tool-engine";
import type { ToolFunction } from "../ports";
import type { FunctionInvocationOptions } from "./function-invoking-client";

const ANYTHING: JsonSchema = { type: "object" };
const TWO_NUMBERS: JsonSchema = {
  type: "object",
  properties: { a: { type: "number", description: "First" }, b: { type: "number" } },
  required: ["a", "b"],
  additionalProperties: false,
};

/** An engine with `add` (two numbers), `echo` (its arguments), `fail` (throws), `slow` (50 ms) and `delete_all` (asks). */
export function invocationEngine(more: Record<string, ToolFunction> = {}) {
  const engine = createToolEngine();
  const ran: { name: string; args: Record<string, unknown> }[] = [];
  const register = (name: string, parameters: JsonSchema, run: ToolFunction): void => {
    engine.registry.registerFunction(
      { name, description: `The tool ${name} of a test.`, type: "function", handler: name, parameters },
      (args, context) => {
        ran.push({ name, args });
        return run(args, context);
      },
    );
  };
  register("add", TWO_NUMBERS, async ({ a, b }) => String(Number(a) + Number(b)));
  register("echo", ANYTHING, async (args) => JSON.stringify(args));
  register("fail", ANYTHING, async () => {
    throw new Error("out of paper");
  });
  register("slow", ANYTHING, () => new Promise((resolve) => setTimeout(() => resolve("late"), 50)));
  register("delete_all", ANYTHING, async () => "deleted");
  for (const [name, run] of Object.entries(more)) register(name, ANYTHING, run);
  const invocation: FunctionInvocationOptions = {
    executor: engine.executor,
    find: (name) => engine.registry.get(name),
    requiresApproval: ({ name }) => name === "delete_all",
  };
  const tools = engine.registry.list().map(({ name, description, parameters }) => ({ name, description, parameters }));
  return { ...engine, invocation, tools, ran };
}

export function call(
  name: string,
  given: FunctionCallContent["arguments"] = {},
  callId = `call_${name}`,
): FunctionCallContent {
  return { type: "function_call", callId, name, arguments: given };
}

export function user(text: string): ChatMessage {
  return { role: "user", contents: [{ type: "text", text }] };
}
