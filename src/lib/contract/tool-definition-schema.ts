import { z } from "zod";
import type { JsonSchema, JsonValue } from "./json";
import { LIMIT_KEY_NAMES, type LimitKeyName } from "./limit-keys";

const jsonSchema: z.ZodType<JsonSchema> = z.record(z.string(), z.unknown());
/** `true`, a note, or an object. `successor`: the name of a tool in the catalog. */
const deprecatedKeySchema = z.union([
  z.boolean(),
  z.string(),
  z.object({ successor: z.string().optional(), note: z.string().optional() }),
]);
export type DeprecatedKey = z.infer<typeof deprecatedKeySchema>;
const sensitivePathsSchema = z.object({
  arguments: z.array(z.string()).optional(),
  results: z.array(z.string()).optional(),
});
/** The condition on arguments of a mock's response. */
const mockConditionSchema = z.union([
  z.looseObject({ equals: z.record(z.string(), z.custom<JsonValue>()) }),
  z.looseObject({ subset: z.record(z.string(), z.custom<JsonValue>()) }),
  /** A JSON pointer into the arguments, and the value there. */
  z.looseObject({ path: z.string(), value: z.custom<JsonValue>() }),
]);
export type MockCondition = z.infer<typeof mockConditionSchema>;
/** Milliseconds, or a range from which each call gets a time. */
const mockDelaySchema = z.union([z.number(), z.looseObject({ min: z.number(), max: z.number() })]);
export type MockDelay = z.infer<typeof mockDelaySchema>;
/** A mock's response or error for matching arguments. */
const mockRuleSchema = z.looseObject({
  when: mockConditionSchema,
  response: z.custom<JsonValue>().optional(),
  error: z.string().optional(),
  delay_ms: mockDelaySchema.optional(),
});
const mockSchema = z.looseObject({
  type: z.literal("mock"),
  /** The response where no rule matches the arguments. */
  mock_response: z.custom<JsonValue>(),
  /** The first response whose condition matches is used. */
  mock_responses: z.array(mockRuleSchema).optional(),
  mock_delay_ms: mockDelaySchema.optional(),
  /** The share of calls that fail, from 0 to 1. */
  mock_error_rate: z.number().optional(),
});
export type MockImplementation = z.infer<typeof mockSchema>;
const toolImplementationSchema = z.discriminatedUnion("type", [
  mockSchema,
  z.looseObject({ type: z.literal("builtin"), handler: z.string() }),
  z.looseObject({ type: z.literal("internal"), handler: z.string() }),
  z.looseObject({ type: z.literal("function") }),
  /** A tool of an MCP server; `tool` is the server's name for it. */
  z.looseObject({ type: z.literal("mcp"), server: z.string(), tool: z.string() }),
]);
/** Hints of the Model Context Protocol: claims of the tool's author, not to be trusted. */
export const toolAnnotationsSchema = z.object({
  title: z.string().optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});
export type ToolAnnotations = z.infer<typeof toolAnnotationsSchema>;
const limitKeys = Object.fromEntries(LIMIT_KEY_NAMES.map((name) => [name, z.number().optional()])) as Record<
  LimitKeyName,
  z.ZodOptional<z.ZodNumber>
>;
/**
 * A tool in configuration, catalog and code. Unknown keys are kept and ignored, so that a definition written for another
 * product survives a round trip. The registry checks it: see `check-definition.ts`.
 */
export const toolDefinitionSchema = z.looseObject({
  /** 1–128 characters of `A-Za-z0-9_.-`, the rule of the Model Context Protocol; unique in the catalog. */
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  type: z.literal("function"),
  /** A label; `implementation` names what runs. */
  handler: z.string(),
  /** JSON Schema whose root `type` is `"object"`. */
  parameters: jsonSchema,
  implementation: toolImplementationSchema,
  annotations: toolAnnotationsSchema.optional(),
  /** JSON Schema of `structuredContent`, for tools that promise one. */
  outputSchema: jsonSchema.optional(),
  /**
   * For a tool of an MCP server: the server's entry without schemas, icons and `_meta`, if `title`, `description` and
   * `annotations` do not say exactly the same. Clients of the gateway get it.
   */
  listed: z.record(z.string(), z.unknown()).optional(),
  tags: z.array(z.string()).optional(),
  ...limitKeys,
  /** JSON pointers of values that are stored masked, beside those that the schemas mark; `*` matches any member or item. */
  sensitive: sensitivePathsSchema.optional(),
  /** Calls still work; models and clients read it in the description. `tool-facts.ts` reads it. */
  deprecated: deprecatedKeySchema.optional(),
  /** True when calls require approval; default: the server's policy. */
  approval: z.enum(["always", "never"]).optional(),
});
export type ToolDefinition = z.infer<typeof toolDefinitionSchema>;
/** Decides who may change a tool. */
export const toolOriginSchema = z.enum(["console", "config", "code", "server"]);
export type ToolOrigin = z.infer<typeof toolOriginSchema>;
