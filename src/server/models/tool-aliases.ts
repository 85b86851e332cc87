import { type ChatMessage, type ChatTool, listCalls } from "../../lib/contract/chat";
import { aliasNames } from "../../lib/portable-name";

/** Converts names to those that a provider accepts, and back. */
export interface ToolAliases {
  /** The name to send for a catalog name. */
  getAlias(name: string): string;
  /** The catalog name of a requested tool; unknown names are returned unchanged. */
  getName(alias: string): string;
}

/** Aliases for the tools of this request and the names in its history, so that old calls keep their alias. */
export function toolAliases(messages: readonly ChatMessage[], tools: readonly ChatTool[] = []): ToolAliases {
  const inHistory = messages.flatMap((message) => listCalls(message).map(({ name }) => name));
  const byAlias = aliasNames([...tools.map(({ name }) => name), ...inHistory]);
  const byName = new Map([...byAlias].map(([alias, name]) => [name, alias]));
  return {
    getAlias: (name) => byName.get(name) ?? name,
    getName: (alias) => byAlias.get(alias) ?? alias,
  };
}
