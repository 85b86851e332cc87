import { isVisibleTo } from "../../../lib/apps/tool-app";
import type { QualityNote, ToolDetail, ToolSummary } from "../../../lib/contract/catalog-tool";
import type { HeldChange } from "../../../lib/contract/held-change";
import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import type { LastEdit } from "../../../lib/contract/last-edit";
import type { ToolLens } from "../../../lib/contract/lens";
import { getImplementation } from "../../../lib/contract/openapi-constants";
import type { SchemaNote } from "../../../lib/contract/schema-note";
import { getServerName, type ToolDefinition, type ToolOrigin } from "../../../lib/contract/tool-definition";
import type { ToolFacts } from "../../../lib/contract/tool-facts";
import { PROVIDER_NAME_RULE } from "../../../lib/name-rule";
import { portableName } from "../../../lib/portable-name";
import { unsupportedByForm } from "../../../lib/schema/describe/form-support";
import { getTimeout } from "../../engine/executor/call-limit";
import type { ArgumentValidator, ExecutionLimits, Handlers, ToolFunction } from "../../engine/ports";
import { findServedChanges } from "../../engine/registry/list-tool";
import { TimeSlice } from "../../engine/time-slice";
import { toIconKey } from "../../platform/shared/choose-icon";

const MAX_SCHEMA_NOTES = 3;

/** A tool of the catalog, switched on or off. */
export interface CatalogEntry {
  definition: ToolDefinition;
  /** The definition from its origin, where a setting made here changes it. */
  original?: ToolDefinition | undefined;
  origin: ToolOrigin;
  originPath: string | null;
  enabled: boolean;
  updatedAt: number | null;
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

/** The summary for lists: long texts are cut to their beginning. */
export function toListed(summary: ToolSummary): ToolSummary {
  if (summary.description.length <= LISTED_CHARS) return summary;
  return { ...summary, description: summary.description.slice(0, LISTED_CHARS) };
}

/** The part of a summary that follows from the definition. */
type DefinitionSummary = Omit<ToolSummary, keyof ToolFacts | "enabled" | "updatedAt" | "lastEdit">;

export function describeDefinition(
  { definition, origin, originPath }: CatalogEntry,
  quality: QualityNote[],
): DefinitionSummary {
  const handler = (definition.implementation as { handler?: unknown }).handler;
  const icon = toIconKey(definition.icons);
  return {
    name: definition.name,
    title: definition.title ?? null,
    description: definition.description,
    implementationType: getImplementation(definition),
    handler: typeof handler === "string" ? handler : null,
    server: getServerName(definition),
    origin,
    originPath,
    tags: definition.tags ?? [],
    ...(isVisibleTo(definition, "model") ? {} : { appOnly: true as const }),
    annotations: definition.annotations ?? {},
    ...(icon !== null && { icon }),
    ...countParameters(definition.parameters),
    quality,
  };
}

function toSummary(known: DefinitionSummary, entry: CatalogEntry, facts: ToolFacts, notes: QualityNote[]): ToolSummary {
  return {
    ...known,
    enabled: entry.enabled,
    updatedAt: entry.updatedAt,
    ...facts,
    ...(notes.length > 0 && { quality: [...known.quality, ...notes] }),
    ...(entry.lastEdit && { lastEdit: entry.lastEdit }),
  };
}

function countParameters({ properties, required }: JsonSchema): Pick<ToolSummary, "parameterCount" | "requiredCount"> {
  return {
    parameterCount: isPlainObject(properties) ? Object.keys(properties).length : 0,
    requiredCount: Array.isArray(required) ? required.length : 0,
  };
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

/** Whether a summary still says what its entry and its facts do. The definition of an entry does not change. */
function isCurrent(summary: ToolSummary, entry: CatalogEntry, { approval, owner, held }: ToolFacts): boolean {
  return (
    summary.enabled === entry.enabled &&
    summary.updatedAt === entry.updatedAt &&
    summary.lastEdit === entry.lastEdit &&
    summary.owner === owner &&
    summary.held === held &&
    summary.approval.required === approval.required &&
    summary.approval.because === approval.because &&
    summary.approval.mode === approval.mode
  );
}

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
  /** Remembered by the entry, since every list asks and the definition of an entry does not change. */
  const described = new WeakMap<CatalogEntry, DefinitionSummary>();
  function readDefinition(entry: CatalogEntry): DefinitionSummary {
    const known = described.get(entry);
    if (known !== undefined) return known;
    const summary = describeDefinition(entry, checkQuality(entry.definition, handlers, listSchemaNotes(entry)));
    if (Object.isFrozen(entry.definition)) described.set(entry, summary);
    return summary;
  }
  const listQuality = (definition: ToolDefinition, schemaNotes: readonly SchemaNote[]): QualityNote[] => [
    ...checkQuality(definition, handlers, schemaNotes),
    ...facts.listNotes(definition),
  ];
  const summarise = (entry: CatalogEntry): ToolSummary =>
    toSummary(readDefinition(entry), entry, facts.read(entry), facts.listNotes(entry.definition));
  /** Remembered by the entry: a page reads thousands of them, of which few have changed since the last one. */
  const listed = new WeakMap<CatalogEntry, { known: DefinitionSummary; summary: ToolSummary }>();
  function list(entry: CatalogEntry): ToolSummary {
    const known = readDefinition(entry);
    const current = facts.read(entry);
    const notes = facts.listNotes(entry.definition);
    const before = listed.get(entry);
    if (before?.known === known && notes.length === 0 && isCurrent(before.summary, entry, current)) {
      return before.summary;
    }
    const summary = toListed(toSummary(known, entry, current, notes));
    // Notes depend on other tools.
    if (notes.length === 0) listed.set(entry, { known, summary });
    else listed.delete(entry);
    return summary;
  }
  const describeLater = createDelayedWork((entry: CatalogEntry) => void readDefinition(entry));
  const detail = (entry: CatalogEntry): ToolDetail =>
    toDetail(summarise(entry), entry, {
      definitionHash: hashDefinition(entry.definition),
      timeoutMs: getTimeout(entry.definition, undefined, limits).timeoutMs,
      schemaNotes: listNotes(entry),
      lens: facts.getLens(entry.definition.name),
    });
  const checkCandidateQuality = (definition: ToolDefinition): QualityNote[] =>
    listQuality(definition, validator.uncheckedKeywords(definition.parameters));
  return { listSchemaNotes, summarise, list, describeLater, detail, checkCandidateQuality };
}

/** Leaves time for more important work of a start, such as the first page. */
const DELAY_MS = 3_000;

/** Does work for each item in slices after a while, so that a list that is read later finds it done. */
function createDelayedWork<Item>(work: (item: Item) => void): (item: Item) => void {
  let waiting: Item[] = [];
  async function run(): Promise<void> {
    const items = waiting;
    waiting = [];
    const slice = new TimeSlice();
    for (const item of items) {
      await slice.pause();
      work(item);
    }
  }
  return (item) => {
    // A fault shows where the list is read.
    if (waiting.length === 0) setTimeout(() => void run().catch(() => undefined), DELAY_MS).unref();
    waiting.push(item);
  };
}

/** Names the place where a tool that is not the console's own is changed. */
export function whereFrom(entry: CatalogEntry): string {
  const server = getServerName(entry.definition);
  if (server !== null) return `the server '${server}'`;
  return entry.originPath ?? "code";
}

/**
 * Warnings about a tool's definition, for its author: none of them stops the tool.
 * @param schemaNotes what of its schema is not checked
 */
export function checkQuality(
  definition: ToolDefinition,
  handlers: { builtins: Handlers; internals: Handlers },
  schemaNotes: readonly SchemaNote[],
): QualityNote[] {
  return [...handlerNotes(definition, handlers), ...uncheckedNotes(definition, schemaNotes), ...textNotes(definition)];
}

function handlerNotes(
  { implementation }: ToolDefinition,
  handlers: { builtins: Handlers; internals: Handlers },
): QualityNote[] {
  if (implementation.type !== "builtin" && implementation.type !== "internal") return [];
  const available = implementation.type === "builtin" ? handlers.builtins : handlers.internals;
  if (Object.hasOwn(available, implementation.handler)) return [];
  const message = `No ${implementation.type} handler is called '${implementation.handler}': every call will fail`;
  return [{ code: "handler_missing", severity: "warning", message }];
}

/** A user can correct the schema of an own tool, but not that of a server. */
function uncheckedNotes(definition: ToolDefinition, schemaNotes: readonly SchemaNote[]): QualityNote[] {
  const severity = getServerName(definition) === null ? "warning" : "info";
  const code = "schema_not_checked";
  const shown = schemaNotes.slice(0, MAX_SCHEMA_NOTES).map(({ message }) => ({ code, severity, message }) as const);
  const more = schemaNotes.length - shown.length;
  return more === 0 ? shown : [...shown, { code, severity, message: `${more} more of the schema are not checked` }];
}

function textNotes(definition: ToolDefinition): QualityNote[] {
  const notes: QualityNote[] = [];
  const { description, name, parameters } = definition;
  if (description.trim().length < 12) {
    notes.push({
      code: "description_short",
      severity: "info",
      message: "The description is too short for a model to choose this tool",
    });
  }
  if (portableName(name) !== name) {
    notes.push({ code: "name_not_portable", severity: "info", message: PROVIDER_NAME_RULE });
  }
  const undescribed = undescribedParameters(parameters.properties);
  if (undescribed.length > 0) {
    const message = `Without a description: ${undescribed.slice(0, 5).join(", ")}${undescribed.length > 5 ? " …" : ""}`;
    notes.push({ code: "parameter_undescribed", severity: "info", message });
  }
  const [unsupported] = unsupportedByForm(parameters);
  if (unsupported) {
    const message = `The form shows ${unsupported.pointer || "the payload"} as JSON: ${unsupported.reason}`;
    notes.push({ code: "schema_unsupported_by_form", severity: "info", message });
  }
  return notes;
}

function undescribedParameters(properties: unknown): string[] {
  if (typeof properties !== "object" || properties === null) return [];
  return Object.entries(properties)
    .filter(
      ([, schema]) =>
        typeof schema === "object" && schema !== null && !("description" in schema) && !("$ref" in schema),
    )
    .map(([name]) => name);
}
