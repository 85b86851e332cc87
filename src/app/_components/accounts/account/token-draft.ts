import type { ApiTokenInput, Scope } from "@/lib/contract";

export const TOKEN_FIELDS = ["name", "scopes", "tools", "servers", "validDays"] as const;

export interface TokenDraft {
  name: string;
  scope: Scope;
  tools: readonly string[];
  servers: readonly string[];
  /** Null for a token that does not expire. */
  validDays: number | null;
}

export const NEW_TOKEN: TokenDraft = { name: "", scope: "run", tools: [], servers: [], validDays: 90 };

/** A limited token runs what it is limited to and nothing else, so only the scope `run` can have limits. */
export function readTokenDraft({ name, scope, tools, servers, validDays }: TokenDraft): ApiTokenInput {
  const limit = (names: readonly string[]) => (scope === "run" && names.length > 0 ? [...names] : null);
  return { name, scopes: [scope], tools: limit(tools), servers: limit(servers), validDays };
}
