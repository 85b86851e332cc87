import { admitsTool, isLimited, type TokenLimits } from "../../../lib/contract/access";
import type { ExecutionDetail } from "../../../lib/contract/execution";
import { TOOL_SEPARATOR } from "../../../lib/contract/tool-definition";
import { AppError } from "../../platform/shared/app-error";
import type { ExecutionReads } from "./readable-executions";

/** Whether a token that is limited to tools or servers may call a tool by this name. */
export function admitsCall(token: TokenLimits, tool: string): boolean {
  const server = tool.includes(TOOL_SEPARATOR) ? (tool.split(TOOL_SEPARATOR, 1)[0] ?? null) : null;
  return admitsTool(token, tool, server);
}

/** A limited token reads the calls that were made with it. */
export function toTokenFilter(token: TokenLimits | null): { token?: string } {
  return token !== null && isLimited(token) ? { token: token.id } : {};
}

interface Executions extends Pick<ExecutionReads, "get"> {
  isMadeWith(id: string, tokenId: string): Promise<boolean>;
}

/** @throws AppError for an execution that is not there, and for one of others with a limited token: with the same words */
export async function findExecution(
  executions: Executions,
  limits: TokenLimits | null,
  id: string,
): Promise<ExecutionDetail> {
  const { token } = toTokenFilter(limits);
  if (token !== undefined && !(await executions.isMadeWith(id, token))) {
    throw new AppError("NOT_FOUND", `Execution '${id}' not found`);
  }
  const execution = await executions.get(id);
  return token === undefined ? execution : { ...execution, parent: null, children: [] };
}
