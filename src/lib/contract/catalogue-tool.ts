import type { Actor } from "./actor";
import type { ToolApproval } from "./approval";
import type { Deprecation } from "./deprecation";
import type { HeldChange, HeldStatus } from "./held-change";
import type { JsonSchema } from "./json";
import type { ToolLens } from "./lens";
import type { SchemaNote } from "./schema-note";
import type { ToolDefinition, ToolOrigin } from "./tool-definition";

/** A problem of a tool's definition that makes it harder to use for models. */
export interface QualityNote {
  code:
    | "handler_missing"
    | "description_short"
    | "name_not_portable"
    | "parameter_undescribed"
    | "schema_unsupported_by_form"
    | "schema_not_checked"
    | "successor_missing";
  severity: "warning" | "info";
  message: string;
}

export interface ToolSummary {
  name: string;
  title: string | null;
  description: string;
  /** That of the definition, or `openapi` for an operation of an API. */
  implementationType: string;
  handler: string | null;
  /** The MCP server it runs on; null for local tools. */
  server: string | null;
  origin: ToolOrigin;
  /** The configuration file for `config`, null otherwise. */
  originPath: string | null;
  enabled: boolean;
  tags: string[];
  /** Models are not offered it: its server keeps it for Apps. */
  appOnly?: true;
  annotations: { readOnlyHint?: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint?: boolean };
  parameterCount: number;
  requiredCount: number;
  quality: QualityNote[];
  updatedAt: number | null;
  approval: ToolApproval;
  /** Null for a tool that is not deprecated. */
  deprecation: Deprecation | null;
  /** Who answers for it; null where nobody was named. */
  owner: Actor | null;
  /** A change of the tool by its server waits, or is blocked: calls are refused. */
  held: HeldStatus | null;
}

export interface ToolDetail extends ToolSummary {
  definition: ToolDefinition;
  /** Content hash of the definition: executions point at it. */
  definitionHash: string;
  timeoutMs: number;
  /** Keywords of the parameters' schema that are not checked as written. */
  schemaNotes: SchemaNote[];
  /** False for tools from configuration or code. */
  editable: boolean;
  /** What models and MCP clients get of its results; null where they get them whole. */
  lens: ToolLens | null;
  /** What waits for approval; null where nothing does. */
  heldChange: HeldChange | null;
}

/** The handlers that a tool can name, sorted, and the arguments of those that say what they read. */
export interface HandlerCatalogue {
  builtin: string[];
  internal: string[];
  parameters: Record<"builtin" | "internal", { name: string; parameters: JsonSchema }[]>;
}

/** A tool that could not be registered. */
export interface LoadProblem {
  origin: ToolOrigin | "handlers";
  source: string;
  name: string | null;
  error: string;
}
