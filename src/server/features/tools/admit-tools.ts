import { admitsTool, type TokenLimits } from "../../../lib/contract/access";
import type { ToolDetail, ToolSummary } from "../../../lib/contract/catalog-tool";
import { createWordMatcher } from "../../../lib/match-words";
import { AppError } from "../../platform/shared/app-error";

interface ToolChoice {
  server?: string | undefined;
  tag?: string | undefined;
  search?: string | undefined;
}

/** The requested tools among those that the token is limited to. @param token null for users */
export function chooseTools(
  tools: readonly ToolSummary[],
  token: TokenLimits | null,
  { server, tag, search }: ToolChoice,
): ToolSummary[] {
  const matches = createWordMatcher(search ?? "");
  return tools
    .filter((tool) => token === null || admitsTool(token, tool.name, tool.server))
    .filter((tool) => server === undefined || tool.server === server)
    .filter((tool) => tag === undefined || tool.tags.includes(tag))
    .filter(({ name, title, description }) => matches(name, title, description));
}

/** @throws AppError for a tool that is not there, and for one that the token is not limited to: with the same words */
export function getAdmitted(
  tools: { get(name: string): ToolDetail },
  token: TokenLimits | null,
  name: string,
): ToolDetail {
  const tool = tools.get(name);
  if (token === null || admitsTool(token, name, tool.server)) return tool;
  throw new AppError("NOT_FOUND", `Tool '${name}' not found`);
}
