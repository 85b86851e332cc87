import { z } from "zod";
import { apiTokenSchema } from "../../../../lib/contract/account";
import { actorSchema } from "../../../../lib/contract/actor-schema";
import { approvalFactsSchema, approvalItemSchema, toolApprovalSchema } from "../../../../lib/contract/approval";
import { importEntrySchema, importOutcomeSchema, importPreviewSchema } from "../../../../lib/contract/catalog-file";
import { toolDetailSchema, toolSummarySchema } from "../../../../lib/contract/catalog-tool";
import { argumentVerdictSchema, faultSchema } from "../../../../lib/contract/envelope";
import { executionSummarySchema } from "../../../../lib/contract/execution";
import { problemSchema } from "../../../../lib/contract/problem-schema";
import { runDetailSchema, runSettingsSchema, runSummarySchema } from "../../../../lib/contract/run";
import { runEventSchema } from "../../../../lib/contract/run-event";
import { serverDetailSchema, serverSettingsSchema, serverSummarySchema } from "../../../../lib/contract/server";
import { toolDefinitionSchema } from "../../../../lib/contract/tool-definition-schema";
import { toolOverrideSchema, toolsetSchema, toolsetSummarySchema } from "../../../../lib/contract/toolset";
import { executionResponseSchema } from "../../../features/executions/run-once";
import { HTTP_STATUS } from "../../../platform/shared/app-error";

export const errorSchema = z.object({
  error: z.object({
    code: z.enum([...Object.keys(HTTP_STATUS), "TOO_LARGE", "INTERNAL"]),
    message: z.string(),
    problems: z.array(problemSchema).describe("Each field that is wrong"),
    requestId: z.string().optional().describe("The response's `X-Request-Id`; absent where no route was reached"),
  }),
});

/** Schemas that have a name in the document, so that generated clients have a type for each. */
const NAMED: Record<string, z.ZodType> = {
  Actor: actorSchema,
  ApiToken: apiTokenSchema,
  Approval: approvalItemSchema,
  ApprovalFacts: approvalFactsSchema,
  ArgumentVerdict: argumentVerdictSchema,
  Error: errorSchema,
  Execution: executionResponseSchema,
  ExecutionSummary: executionSummarySchema,
  Fault: faultSchema,
  ImportEntry: importEntrySchema,
  ImportOutcome: importOutcomeSchema,
  ImportPreview: importPreviewSchema,
  Problem: problemSchema,
  Run: runDetailSchema,
  RunEvent: runEventSchema,
  RunSettings: runSettingsSchema,
  RunSummary: runSummarySchema,
  Server: serverDetailSchema,
  ServerSettings: serverSettingsSchema,
  ServerSummary: serverSummarySchema,
  Tool: toolDetailSchema,
  ToolApproval: toolApprovalSchema,
  ToolDefinition: toolDefinitionSchema,
  ToolOverride: toolOverrideSchema,
  ToolSummary: toolSummarySchema,
  Toolset: toolsetSchema,
  ToolsetSummary: toolsetSummarySchema,
};

type Direction = "input" | "output";
type Schemas = Record<string, object>;
/** The name of a schema is its key in the document already. */
type Written = { id?: string; $schema?: string };

function createRegistry(suffix: string) {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(NAMED)) registry.add(schema, { id: name + suffix });
  return registry;
}

/** In requests, what has a default may be left out: the same name has another schema there. */
const REGISTRIES = { input: createRegistry("Input"), output: createRegistry("") };

/** Makes the schemas of one document; `shared` collects the named ones, which become its components. */
export class SchemaWriter {
  readonly shared: Schemas = {};

  /** @param isWhole says of objects that they have no other keys, as a test wants it; clients must accept new ones */
  constructor(private readonly isWhole = false) {}

  write(schema: z.ZodType, io: Direction): object {
    const made = z.toJSONSchema(schema, {
      ...{ io, unrepresentable: "any", metadata: REGISTRIES[io] },
      override: ({ jsonSchema }) => this.#simplify(jsonSchema, io),
    });
    const text = JSON.stringify(made)
      // Any JSON value: its own schema refers to itself, which many generators cannot compile.
      .replace(/\{"\$ref":"#\/\$defs\/__\w+"\}/g, "{}")
      .replaceAll('"#/$defs/', '"#/components/schemas/');
    const {
      $schema: _,
      $defs = {},
      id: __,
      ...rest
    } = JSON.parse(text) as Written & { $defs?: Record<string, Written> };
    for (const [name, { id: ___, ...part }] of Object.entries($defs)) {
      if (!name.startsWith("__")) this.shared[name] = part;
    }
    return rest;
  }

  #simplify(schema: z.core.JSONSchema.BaseSchema, io: Direction): void {
    // Every key of a JSON object is text, and generators take the keyword for a limit of the keys.
    delete schema.propertyNames;
    if (io === "output" && !this.isWhole && schema.additionalProperties === false) delete schema.additionalProperties;
  }
}
