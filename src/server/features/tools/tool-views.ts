import type { QualityNote, ToolDetail, ToolSummary } from "../../../lib/contract/catalogue-tool";
import type { SchemaNote } from "../../../lib/contract/schema-note";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ArgumentValidator, ExecutionLimits, Handlers } from "../../engine/ports";
import { findServedChanges } from "../../engine/registry/list-tool";
import { type CatalogueEntry, toDetail, toSummary } from "./catalogue-entry";
import type { createToolApprovals } from "./tool-approvals";
import type { ToolFacts } from "./tool-facts";
import { qualityOf, successorNotes } from "./tool-quality";

export interface ToolViewPorts {
  validator: Pick<ArgumentValidator, "uncheckedKeywords">;
  handlers: { builtins: Handlers; internals: Handlers };
  limits: Pick<ExecutionLimits, "timeoutMs">;
  hashOf: (definition: ToolDefinition) => string;
  approvals: Pick<ReturnType<typeof createToolApprovals>, "of">;
  facts: Pick<ToolFacts, "ownerOf" | "lensOf">;
  /** Whether the catalog has a tool of this name. */
  isKnown: (name: string) => boolean;
}

/** A tool of the catalogue as lists and its own page show it. */
export function createToolViews(ports: ToolViewPorts) {
  const { validator, handlers, limits, hashOf, approvals, facts, isKnown } = ports;
  const schemaNotesOf = ({ definition, schemaNotes = [] }: CatalogueEntry): SchemaNote[] => [
    ...schemaNotes,
    ...validator.uncheckedKeywords(definition.parameters),
  ];
  const notesOf = (entry: CatalogueEntry): SchemaNote[] => [
    ...schemaNotesOf(entry),
    ...findServedChanges(entry.definition),
  ];
  const summarise = (entry: CatalogueEntry): ToolSummary => {
    const { definition } = entry;
    return toSummary(entry, {
      quality: [...qualityOf(definition, handlers, schemaNotesOf(entry)), ...successorNotes(definition, isKnown)],
      approval: approvals.of(definition),
      owner: facts.ownerOf(definition.name),
    });
  };
  const detail = (entry: CatalogueEntry): ToolDetail =>
    toDetail(summarise(entry), entry, {
      definitionHash: hashOf(entry.definition),
      timeoutMs: limits.timeoutMs,
      schemaNotes: notesOf(entry),
      lens: facts.lensOf(entry.definition.name),
    });
  const qualityOfCandidate = (definition: ToolDefinition): QualityNote[] => [
    ...qualityOf(definition, handlers, validator.uncheckedKeywords(definition.parameters)),
    ...successorNotes(definition, isKnown),
  ];
  return { schemaNotesOf, summarise, detail, qualityOfCandidate };
}
