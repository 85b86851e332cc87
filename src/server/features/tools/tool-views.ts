import type { QualityNote, SchemaNote, ToolDefinition, ToolDetail, ToolSummary } from "../../../lib/contract";
import type { ArgumentValidator, ExecutionLimits, Handlers } from "../../engine/ports";
import { type CatalogueEntry, toDetail, toSummary } from "./catalogue-entry";
import type { createToolApprovals } from "./tool-approvals";
import { qualityOf } from "./tool-quality";

export interface ToolViewPorts {
  validator: Pick<ArgumentValidator, "uncheckedKeywords">;
  handlers: { builtins: Handlers; internals: Handlers };
  limits: Pick<ExecutionLimits, "timeoutMs">;
  hashOf: (definition: ToolDefinition) => string;
  approvals: Pick<ReturnType<typeof createToolApprovals>, "of">;
}

/** A tool of the catalogue as lists and its own page show it. */
export function createToolViews({ validator, handlers, limits, hashOf, approvals }: ToolViewPorts) {
  const schemaNotesOf = ({ definition, schemaNotes = [] }: CatalogueEntry): SchemaNote[] => [
    ...schemaNotes,
    ...validator.uncheckedKeywords(definition.parameters),
  ];
  const summarise = (entry: CatalogueEntry): ToolSummary => {
    const { definition } = entry;
    return toSummary(entry, qualityOf(definition, handlers, schemaNotesOf(entry)), approvals.of(definition));
  };
  const detail = (entry: CatalogueEntry): ToolDetail =>
    toDetail(summarise(entry), entry, {
      definitionHash: hashOf(entry.definition),
      timeoutMs: limits.timeoutMs,
      schemaNotes: schemaNotesOf(entry),
    });
  const qualityOfCandidate = (definition: ToolDefinition): QualityNote[] =>
    qualityOf(definition, handlers, validator.uncheckedKeywords(definition.parameters));
  return { schemaNotesOf, summarise, detail, qualityOfCandidate };
}
