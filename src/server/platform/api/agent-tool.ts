import { z } from "zod";
import type { JsonSchema } from "../../../lib/contract/json";
import { problemsOfIssues } from "../../../lib/contract/problem";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { invalidInput } from "../shared/app-error";
import type { AgentForm, AnyOperation, Operations } from "./operation";
import { performOperation } from "./perform-operation";
import type { ApiContext } from "./route";

/** An operation as a tool of agents. */
export interface AgentTool {
  name: string;
  /** The audit action of the operation: `executions.list`. */
  action: string;
  operation: AnyOperation;
  definition: ToolDefinition;
  /**
   * Checks arguments, rights and limits as every door does, and runs the operation.
   * @throws AppError that names the argument, or the right that is missing
   */
  perform(context: ApiContext, args: object, operation?: AnyOperation): Promise<unknown>;
}

const NO_ARGUMENTS = z.strictObject({});

/** The tools of agents, from the operations that declare one. */
export function toAgentTools(nouns: readonly Operations[]): AgentTool[] {
  return nouns.flatMap(({ noun, each }) =>
    Object.entries(each).flatMap(([name, operation]) =>
      operation.agent === undefined ? [] : [toAgentTool(`${noun}.${name}`, operation, operation.agent)],
    ),
  );
}

function toAgentTool(action: string, operation: AnyOperation, form: AgentForm<never>): AgentTool {
  const input = z.strictObject((form.input ?? operation.input ?? NO_ARGUMENTS).shape);
  return {
    name: form.name,
    action,
    operation,
    definition: toDefinition(operation, form, input),
    async perform(context, args, performed = operation) {
      const read = input.safeParse(args);
      if (!read.success) throw invalidInput("", problemsOfIssues(read.error.issues), ": ");
      const fields = read.data as never;
      const given = form.toInput === undefined ? fields : form.toInput(fields);
      const result = await performOperation(action, performed, context, given);
      return form.toResult === undefined ? result : form.toResult(result as never, fields);
    },
  };
}

function toDefinition(
  { kind, summary }: AnyOperation,
  { name, description, adds }: AgentForm<never>,
  input: z.ZodObject,
): ToolDefinition {
  const { $schema: _, ...parameters } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  const isRead = kind === "read";
  return {
    name,
    description: description ?? `${summary}.`,
    type: "function",
    handler: name,
    tags: ["toolroom"],
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: !isRead && adds !== true,
      idempotentHint: isRead,
      openWorldHint: false,
    },
    parameters: parameters as JsonSchema,
    implementation: { type: "internal", handler: name },
  };
}
