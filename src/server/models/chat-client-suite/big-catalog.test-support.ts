import type { ChatTool } from "../../../lib/contract/chat";
import type { JsonSchema } from "../../../lib/contract/json";

/** Schemas that servers in the field declare: references, unions, a union at the root, recursion, formats, nothing at all. */
const SCHEMAS: readonly JsonSchema[] = [
  {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { place: { $ref: "#/$defs/place" }, until: { type: "string", format: "date-time" } },
    required: ["place"],
    $defs: { place: { type: "object", properties: { name: { type: "string" }, next: { $ref: "#/$defs/place" } } } },
  },
  {
    type: "object",
    properties: {
      target: { anyOf: [{ type: "string" }, { type: "integer", exclusiveMinimum: 0 }, { type: "null" }] },
      tags: { type: "array", items: { type: "string", pattern: "^[a-z]+$" }, uniqueItems: true },
    },
    additionalProperties: false,
  },
  {
    oneOf: [
      { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      { type: "object", properties: { name: { const: "all" } }, required: ["name"] },
    ],
  },
  { type: "object" },
  {
    type: "object",
    properties: { mode: { type: ["string", "null"], enum: ["fast", "slow", null] }, "x-y.z": { type: "number" } },
    patternProperties: { "^x-": { type: "string" } },
    allOf: [{ required: ["mode"] }],
  },
];

export function bigCatalog(count: number): ChatTool[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `server${index % 4}__tool.${index}`,
    description: `Tool number ${index}.`,
    parameters: SCHEMAS[index % SCHEMAS.length] ?? {},
  }));
}
