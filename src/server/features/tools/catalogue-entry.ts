import type {
  QualityNote,
  ToolApproval,
  ToolDefinition,
  ToolDetail,
  ToolOrigin,
  ToolSummary,
} from "../../../lib/contract";
import { serverOf } from "../../../lib/contract/tool-definition";
import type { ToolFunction } from "../../engine/ports";
import type { ToolRegistry } from "../../engine/tool-registry";

/** A tool of the catalogue, switched on or off. */
export interface CatalogueEntry {
  definition: ToolDefinition;
  origin: ToolOrigin;
  originPath: string | null;
  enabled: boolean;
  updatedAt: number | null;
  /** The code of a function tool that is switched off, kept for switching it on. */
  run?: ToolFunction | undefined;
}

export function toSummary(entry: CatalogueEntry, quality: QualityNote[], approval: ToolApproval): ToolSummary {
  const { definition } = entry;
  const { properties, required } = definition.parameters;
  const handler = (definition.implementation as { handler?: unknown }).handler;
  return {
    name: definition.name,
    title: definition.title ?? null,
    description: definition.description,
    implementationType: definition.implementation.type,
    handler: typeof handler === "string" ? handler : null,
    server: serverOf(definition),
    origin: entry.origin,
    originPath: entry.originPath,
    enabled: entry.enabled,
    tags: definition.tags ?? [],
    annotations: definition.annotations ?? {},
    parameterCount: typeof properties === "object" && properties !== null ? Object.keys(properties).length : 0,
    requiredCount: Array.isArray(required) ? required.length : 0,
    quality,
    updatedAt: entry.updatedAt,
    approval,
  };
}

export function toDetail(
  summary: ToolSummary,
  entry: CatalogueEntry,
  definitionHash: string,
  timeoutMs: number,
): ToolDetail {
  return {
    ...summary,
    definition: entry.definition,
    definitionHash,
    timeoutMs: entry.definition.timeout_ms ?? timeoutMs,
    editable: entry.origin === "console",
  };
}

/** Puts a tool into the registry or takes it out; it stays in the catalogue. */
export function switchEntry(
  registry: ToolRegistry,
  entries: Map<string, CatalogueEntry>,
  name: string,
  enabled: boolean,
): void {
  const entry = entries.get(name);
  if (!entry) return;
  if (!enabled) {
    const run = registry.getExecutor(name);
    registry.unregister(name);
    entries.set(name, { ...entry, enabled, run });
  } else {
    if (entry.run) registry.registerFunction(entry.definition, entry.run);
    else if (entry.origin === "server") registry.registerServerTool(entry.definition);
    else registry.register(entry.definition);
    entries.set(name, { ...entry, enabled });
  }
}

/** Where to change a tool that is not the console's own. */
export function whereFrom(entry: CatalogueEntry): string {
  const server = serverOf(entry.definition);
  if (server !== null) return `the MCP server '${server}'`;
  return entry.originPath ?? "code";
}
