import type { Scope } from "@/lib/contract/access";
import type { ApiTokenInput } from "@/lib/contract/account";

export const TOKEN_FIELDS = ["name", "scopes", "tools", "servers", "toolsets", "validDays"] as const;

export interface TokenDraft {
  name: string;
  scope: Scope;
  tools: readonly string[];
  servers: readonly string[];
  toolsets: readonly string[];
  /** Null for a token that does not expire. */
  validDays: number | null;
}

const DEFAULT_DAYS = 90;

/** @param maxDays the greatest age of a token; null for no limit */
export function newToken(maxDays: number | null): TokenDraft {
  const validDays = Math.min(DEFAULT_DAYS, maxDays ?? DEFAULT_DAYS);
  return { name: "", scope: "run", tools: [], servers: [], toolsets: [], validDays };
}

/** A limited token runs what it is limited to and nothing else, so only the scope `run` can have limits. */
export function readTokenDraft({ name, scope, tools, servers, toolsets, validDays }: TokenDraft): ApiTokenInput {
  const limit = (names: readonly string[]) => (scope === "run" && names.length > 0 ? [...names] : null);
  const sets = limit(toolsets);
  const limits = { tools: limit(tools), servers: limit(servers), ...(sets === null ? {} : { toolsets: sets }) };
  return { name, scopes: [scope], ...limits, validDays };
}
