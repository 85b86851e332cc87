import type { Permission, Principal } from "../../../lib/contract/access";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";

/** The caller of one of Toolroom's own tools, and the services that the tool uses. */
export interface AgentToolCall {
  caller: Principal;
  /** The reader in whose place the caller reads, for a result that others read too; null: the caller. */
  readsAs: Principal | null;
  /** The services for that reader. */
  services: object;
  /** Aborts when the server begins to stop. */
  stopping: AbortSignal;
}

/** An operation of Toolroom as a tool of agents. */
export interface AgentTool {
  name: string;
  /** The audit action of the operation: `executions.list`. */
  action: string;
  definition: ToolDefinition;
  /** The permission that every call needs; arguments may demand more. */
  permission: Permission;
  /**
   * Checks arguments, rights and limits as every door does, and runs the operation.
   * @throws AppError that names the argument, or the right that is missing
   */
  perform(call: AgentToolCall, args: object): Promise<unknown>;
}

/** Toolroom's own tools: their names, and their declarations once something needs these. */
export interface AgentToolSource {
  names: readonly string[];
  /** Loads the tools; returns the same objects each time. */
  load(): Promise<readonly AgentTool[]>;
}
