// The tools that the conformance suite calls by name, as an MCP server over stdio. The suite meets them through the
// gateway: what it sees has passed connection, executor, logbook and gateway.
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { CONTENT_CAPABILITIES, serveContent } from "./fixture-content.mjs";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

/** @typedef {import("@modelcontextprotocol/server").ServerContext} Context */
/** @typedef {{ description: string, inputSchema?: object, run: (args: any, ctx: Context) => any }} FixtureTool */

const text = (/** @type {string} */ value) => ({ content: [{ type: "text", text: value }] });
const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
const field = (/** @type {string} */ name, type = "string") => ({
  type: "object",
  properties: { [name]: { type } },
  required: [name],
});

/** @param {Context} ctx @param {string} message @param {object} requestedSchema */
const elicit = (ctx, message, requestedSchema) =>
  ctx.mcpReq.elicitInput(/** @type {any} */ ({ mode: "form", message, requestedSchema }));

/** @param {Context} ctx @param {string} prompt @returns {Promise<string>} */
async function sample(ctx, prompt) {
  const answer = await ctx.mcpReq.requestSampling({
    messages: [{ role: "user", content: { type: "text", text: prompt } }],
    maxTokens: 100,
  });
  const blocks = Array.isArray(answer.content) ? answer.content : [answer.content];
  return blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** @param {any} result */
const completed = (result) =>
  text(`Elicitation completed: action=${result.action}, content=${JSON.stringify(result.content ?? {})}`);

const resource = (/** @type {string} */ uri, /** @type {string} */ mimeType, /** @type {string} */ body) => ({
  type: "resource",
  resource: { uri, mimeType, text: body },
});

/** @type {Record<string, FixtureTool>} */
const TOOLS = {
  test_simple_text: { description: "Text", run: () => text("This is a simple text response for testing.") },
  test_image_content: {
    description: "An image",
    run: () => ({ content: [{ type: "image", data: PNG, mimeType: "image/png" }] }),
  },
  test_audio_content: {
    description: "A sound",
    run: () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }),
  },
  test_embedded_resource: {
    description: "A resource",
    run: () => ({
      content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
    }),
  },
  test_multiple_content_types: {
    description: "Several kinds at once",
    run: () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        { type: "image", data: PNG, mimeType: "image/png" },
        resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
      ],
    }),
  },
  test_tool_with_logging: { description: "Says three things while it runs", run: (_args, ctx) => log(ctx) },
  test_logging_tool: { description: "The same under another name", run: (_args, ctx) => log(ctx) },
  test_tool_with_progress: { description: "Tells how far it is", run: (_args, ctx) => progress(ctx) },
  test_error_handling: {
    description: "Fails",
    run: () => ({ ...text("This tool intentionally returns an error for testing"), isError: true }),
  },
  test_sampling: {
    description: "Asks a model",
    inputSchema: field("prompt"),
    run: async ({ prompt }, ctx) => text(`LLM response: ${await sample(ctx, prompt)}`),
  },
  test_elicitation: {
    description: "Asks a person",
    inputSchema: field("message"),
    run: async ({ message }, ctx) => {
      const properties = { username: { type: "string" }, email: { type: "string" } };
      const result = await elicit(ctx, message, { type: "object", properties, required: ["username", "email"] });
      return text(`User response: action=${result.action}, content=${JSON.stringify(result.content ?? {})}`);
    },
  },
  test_elicitation_sep1034_defaults: {
    description: "Asks with default values",
    run: async (_args, ctx) => {
      const properties = {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      };
      return completed(await elicit(ctx, "Check the defaults", { type: "object", properties }));
    },
  },
  test_elicitation_sep1330_enums: { description: "Asks with lists of choices", run: (_args, ctx) => askEnums(ctx) },
  json_schema_2020_12_tool: {
    description: "Has a schema of draft 2020-12",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    run: (args) => text(JSON.stringify(args)),
  },
  test_custom_headers: {
    description: "Has parameters that stateless clients repeat in headers",
    inputSchema: {
      type: "object",
      properties: {
        region: { type: "string", "x-mcp-header": "Region" },
        priority: { type: "integer", "x-mcp-header": "Priority" },
      },
    },
    run: (args) => text(JSON.stringify(args)),
  },
  test_streaming_elicitation: {
    description: "Tells how far it is, then asks a person",
    run: async (_args, ctx) => {
      await progress(ctx);
      return completed(await elicit(ctx, "Go on?", field("ok", "boolean")));
    },
  },
  test_trigger_tool_change: {
    description: "Adds a tool",
    run: async () => {
      added += 1;
      await server.sendToolListChanged();
      return text("changed");
    },
  },
};
let added = 0;

/** @param {Context} ctx */
async function log(ctx) {
  for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
    await ctx.mcpReq.log("info", line);
    await sleep(50);
  }
  return text("Said three things");
}

/** @param {Context} ctx */
async function progress(ctx) {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  for (const done of [0, 50, 100]) {
    if (progressToken !== undefined) {
      const params = { progressToken, progress: done, total: 100, message: `${done} of 100` };
      await ctx.mcpReq.notify({ method: "notifications/progress", params });
    }
    await sleep(50);
  }
  return text("Told of three steps");
}

/** @param {Context} ctx */
async function askEnums(ctx) {
  const titled = (/** @type {string} */ suffix) =>
    ["First", "Second", "Third"].map((title, index) => ({ const: `value${index + 1}`, title: `${title} ${suffix}` }));
  const properties = {
    untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
    titledSingle: { type: "string", oneOf: titled("Option") },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
    titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
  };
  return completed(await elicit(ctx, "Choose", { type: "object", properties }));
}

const server = new Server(
  { name: "conformance-fixture", version: "1.0.0" },
  { capabilities: { tools: { listChanged: true }, logging: {}, ...CONTENT_CAPABILITIES } },
);
server.setRequestHandler("tools/list", () => ({
  tools: [
    ...Object.entries(TOOLS).map(([name, { description, inputSchema }]) => ({
      name,
      description,
      inputSchema: /** @type {any} */ (inputSchema ?? { type: "object", properties: {} }),
    })),
    ...Array.from({ length: added }, (_, index) => ({
      name: `test_added_${index}`,
      description: "Was added",
      inputSchema: { type: /** @type {const} */ ("object"), properties: {} },
    })),
  ],
}));
server.setRequestHandler("tools/call", async ({ params }, ctx) => {
  const tool = Object.hasOwn(TOOLS, params.name) ? TOOLS[params.name] : undefined;
  if (tool === undefined) return { ...text(`There is no tool ${params.name}`), isError: true };
  return await tool.run(params.arguments ?? {}, ctx);
});
serveContent(server);
await server.connect(new StdioServerTransport());
console.error("conformance fixture: ready");
