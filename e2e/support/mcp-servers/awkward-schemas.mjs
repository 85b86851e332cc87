// Tools whose schemas cannot be checked whole, all of which clients can call but the last one, which is nested too deep.
import { serveStdio, text } from "./stdio-server.mjs";

const run = (/** @type {unknown} */ args) => text(JSON.stringify(args));
const object = (/** @type {object} */ properties, more = {}) => ({ type: "object", properties, ...more });

/** @type {Record<string, unknown>} */
const SCHEMAS = {
  recursive: object({ a: { $ref: "#" }, n: { type: "integer" } }),
  python_pattern: object({ s: { type: "string", pattern: "(?i)^abc(?P>x)$" } }),
  draft_04: object(
    { n: { type: "number", minimum: 3, exclusiveMinimum: true, required: true } },
    { $schema: "http://json-schema.org/draft-04/schema#", id: "http://localhost:1234/draft-04.json" },
  ),
  empty_enum: object({ e: { enum: [] } }),
  null_properties: { type: "object", properties: null },
  own_dialect: object({}, { $schema: "https://example.com/dialect" }),
  remote_reference: object({ r: { $ref: "https://example.com/schema.json" } }),
  list_items: object({ l: { type: "array", items: [{ type: "string" }] } }),
  text_required: { type: "object", required: "a" },
  no_type: { properties: { n: { type: "integer" } } },
  nullable_object: { type: ["object", "null"], properties: { n: { type: "integer" } } },
  boolean_schema: true,
  text_schema: "object",
  odd_parts: object({ a: 7, b: null, c: { type: "any" }, d: { anyOf: "x" }, e: { items: 3 }, f: { properties: [] } }),
};

/** @param {number} depth @returns {object} */
const nested = (depth) => (depth === 0 ? {} : object({ a: nested(depth - 1) }));

serveStdio({
  name: "awkward-schemas",
  tools: [...Object.keys(SCHEMAS), "no_schema", "as_task"].map((name) => ({ name, run })),
  listTools: () => ({
    tools: [
      ...Object.entries(SCHEMAS).map(([name, inputSchema]) => ({ name, inputSchema, outputSchema: { type: "any" } })),
      { name: "no_schema" },
      // Without the capability for tasks, its calls are plain.
      { name: "as_task", inputSchema: object({}), execution: { taskSupport: "required" } },
      { name: "too_deep", inputSchema: object({ a: nested(250) }) },
    ],
  }),
});
