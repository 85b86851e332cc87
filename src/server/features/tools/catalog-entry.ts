import { isVisibleTo } from "../../../lib/apps/tool-app";
import type { QualityNote, ToolDetail, ToolSummary } from "../../../lib/contract/catalog-tool";
import type { HeldChange } from "../../../lib/contract/held-change";
import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import type { LastEdit } from "../../../lib/contract/last-edit";
import type { ToolLens } from "../../../lib/contract/lens";
import { getImplementation } from "../../../lib/contract/openapi-constants";
import type { SchemaNote } from "../../../lib/contract/schema-note";
import type { ToolDefinition, ToolOrigin } from "../../../lib/contract/tool-definition";
import { getServerName } from "../../../lib/contract/tool-definition";
import type { ToolFacts } from "../../../lib/contract/tool-facts";
import { getTimeout } from "../../engine/executor/execution-limits";
import type { ArgumentValidator, ExecutionLimits, Handlers, ToolFunction } from "../../engine/ports";
import { findServedChanges } from "../../engine/registry/list-tool";
import { checkQuality } from "./tool-quality";

/** A tool of the catalog, switched on or off. */
export interface CatalogEntry {
  definition: ToolDefinition;
  /** As its origin has it, where a setting made here changes it. */
  original?: ToolDefinition | undefined;
  origin: ToolOrigin;
  originPath: string | null;
  enabled: boolean;
  updatedAt: number | null;
  /** The last edit of a tool of the console. */
  lastEdit?: LastEdit | undefined;
  /** The keywords of a server tool's input schema that are not read as listed. */
  schemaNotes?: readonly SchemaNote[] | undefined;
  /** The unapproved change of a server's tool. `definition` is the approved one. */
  held?: HeldChange | undefined;
  /** The code of a function tool that is switched off, kept for switching it on. */
  run?: ToolFunction | undefined;
}

/** A server's description may be a megabyte, and a list may have thousands of them. */
const LISTED_CHARS = 300;

/** The summary as lists have it: of long texts the beginning. */
export function toListed(summary: ToolSummary): ToolSummary {
  return { ...summary, description: summary.description.slice(0, LISTED_CHARS) };
}

export function toSummary(entry: CatalogEntry, facts: ToolFacts, quality: QualityNote[]): ToolSummary {
  const { definition } = entry;
  const handler = (definition.implementation as { handler?: unknown }).handler;
  return {
    name: definition.name,
    title: definition.title ?? null,
    description: definition.description,
    implementationType: getImplementation(definition),
    handler: typeof handler === "string" ? handler : null,
    server: getServerName(definition),
    origin: entry.origin,
    originPath: entry.originPath,
    enabled: entry.enabled,
    tags: definition.tags ?? [],
    ...(isVisibleTo(definition, "model") ? {} : { appOnly: true as const }),
    annotations: definition.annotations ?? {},
    ...countParameters(definition.parameters),
    quality,
    updatedAt: entry.updatedAt,
    ...facts,
    ...(entry.lastEdit && { lastEdit: entry.lastEdit }),
  };
}

const counted = new WeakMap<JsonSchema, Pick<ToolSummary, "parameterCount" | "requiredCount">>();

/** Remembered by identity, since every list asks and a definition does not change. */
function countParameters(parameters: JsonSchema): Pick<ToolSummary, "parameterCount" | "requiredCount"> {
  const known = counted.get(parameters);
  if (known) return known;
  const { properties, required } = parameters;
  const counts = {
    parameterCount: isPlainObject(properties) ? Object.keys(properties).length : 0,
    requiredCount: Array.isArray(required) ? required.length : 0,
  };
  counted.set(parameters, counts);
  return counts;
}

function toDetail(
  summary: ToolSummary,
  entry: CatalogEntry,
  {
    definitionHash,
    timeoutMs,
    schemaNotes,
    lens,
  }: Pick<ToolDetail, "definitionHash" | "timeoutMs" | "schemaNotes" | "lens">,
): ToolDetail {
  return {
    ...summary,
    definition: entry.definition,
    definitionHash,
    timeoutMs,
    schemaNotes,
    lens,
    editable: entry.origin === "console",
    heldChange: entry.held ?? null,
  };
}

interface ToolViewPorts {
  validator: Pick<ArgumentValidator, "uncheckedKeywords">;
  handlers: { builtins: Handlers; internals: Handlers };
  limits: Pick<ExecutionLimits, "timeoutMs">;
  hashDefinition: (definition: ToolDefinition) => string;
  facts: {
    read(entry: CatalogEntry): ToolFacts;
    listNotes(definition: ToolDefinition): QualityNote[];
    getLens(name: string): ToolLens | null;
  };
}

export type ToolViews = ReturnType<typeof createToolViews>;

/** A tool of the catalog as lists and its own page show it. */
export function createToolViews(ports: ToolViewPorts) {
  const { validator, handlers, limits, hashDefinition, facts } = ports;
  const listSchemaNotes = ({ definition, schemaNotes = [] }: CatalogEntry): SchemaNote[] => [
    ...schemaNotes,
    ...validator.uncheckedKeywords(definition.parameters),
  ];
  const listNotes = (entry: CatalogEntry): SchemaNote[] => [
    ...listSchemaNotes(entry),
    ...findServedChanges(entry.definition),
  ];
  const listQuality = (definition: ToolDefinition, schemaNotes: readonly SchemaNote[]): QualityNote[] => [
    ...checkQuality(definition, handlers, schemaNotes),
    ...facts.listNotes(definition),
  ];
  const summarise = (entry: CatalogEntry): ToolSummary =>
    toSummary(entry, facts.read(entry), listQuality(entry.definition, listSchemaNotes(entry)));
  const detail = (entry: CatalogEntry): ToolDetail =>
    toDetail(summarise(entry), entry, {
      definitionHash: hashDefinition(entry.definition),
      timeoutMs: getTimeout(entry.definition, undefined, limits).timeoutMs,
      schemaNotes: listNotes(entry),
      lens: facts.getLens(entry.definition.name),
    });
  const checkCandidateQuality = (definition: ToolDefinition): QualityNote[] =>
    listQuality(definition, validator.uncheckedKeywords(definition.parameters));
  return { listSchemaNotes, summarise, detail, checkCandidateQuality };
}

/** Where to change a tool that is not the console's own. */
export function whereFrom(entry: CatalogEntry): string {
  const server = getServerName(entry.definition);
  if (server !== null) return `the server '${server}'`;
  return entry.originPath ?? "code";
}
