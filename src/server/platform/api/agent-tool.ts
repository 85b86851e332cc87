import { z } from "zod";
import type { Principal } from "../../../lib/contract/access";
import type { JsonSchema } from "../../../lib/contract/json";
import { problemsOfIssues } from "../../../lib/contract/problem";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { AgentTool, AgentToolCall } from "../../engine/agent/agent-tool";
import { invalidInput } from "../shared/app-error";
import type { AgentForm, AnyOperation, OperationContext, Operations } from "./operation";
import { performOperation } from "./perform-operation";
import type { ApiContext } from "./route";

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
    definition: toDefinition(operation, form, input),
    permission: operation.allow,
    async perform(call, args) {
      const read = input.safeParse(args);
      if (!read.success) throw invalidInput("", problemsOfIssues(read.error.issues), ": ");
      const fields = read.data as never;
      const given = form.toInput === undefined ? fields : form.toInput(fields);
      const { readsAs } = call;
      const performed = isReading(operation, form) && readsAs !== null ? readAs(operation, readsAs) : operation;
      const result = await performOperation(action, performed, toContext(call), given);
      return form.toResult === undefined ? result : form.toResult(result as never, fields);
    },
  };
}

const isReading = ({ kind }: AnyOperation, { onlyReads }: AgentForm<never>): boolean =>
  kind === "read" || onlyReads === true;

function toContext({ caller, services, stopping }: AgentToolCall): ApiContext {
  const actor: Principal = { ...caller, origin: { door: "tool", address: caller.origin?.address ?? null } };
  return {
    actor,
    services: services as ApiContext["services"],
    source: "api",
    sessionId: null,
    recheck: async () => actor,
    stopping,
  };
}

/** The operation with the rights of another reader; the rights and limits of the caller are checked before. */
function readAs(operation: AnyOperation, reader: Principal): AnyOperation {
  return {
    ...operation,
    run: (context: OperationContext, input: never) =>
      operation.run(
        {
          ...context,
          actor: { id: reader.id, name: reader.name },
          principal: { ...reader, token: context.principal.token },
        },
        input,
      ),
  };
}

function toDefinition(operation: AnyOperation, form: AgentForm<never>, input: z.ZodObject): ToolDefinition {
  const { name, description, adds } = form;
  const { $schema: _, ...parameters } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  const isRead = isReading(operation, form);
  return {
    name,
    description: description ?? `${operation.summary}.`,
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
