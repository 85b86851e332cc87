// A small MCP server of the seed, in two versions: the second one breaks calls that worked with the first.
import { createInterface } from "node:readline";

const isSecond = process.argv[2] === "2";
const order = { type: "string", description: "Number of the order, such as A-1042" };

const TOOLS = [
  {
    name: "find_orders",
    description: "Find orders of a customer",
    annotations: { readOnlyHint: true },
    inputSchema: {
      type: "object",
      properties: {
        customer: { type: "string" },
        status: { enum: isSecond ? ["open", "shipped"] : ["open", "shipped", "returned"] },
        ...(isSecond ? { region: { type: "string", description: "Region of the warehouse" } } : {}),
        limit: { type: "integer", minimum: 1, maximum: 100 },
      },
      required: isSecond ? ["customer", "region"] : ["customer"],
    },
  },
  {
    name: "get_order",
    description: "Get an order by its number",
    annotations: { readOnlyHint: true },
    inputSchema: { type: "object", properties: { order }, required: ["order"] },
    outputSchema: {
      type: "object",
      properties: { order, [isSecond ? "total_cents" : "total"]: { type: "number" }, status: { type: "string" } },
      required: ["order", "status"],
    },
  },
  {
    name: "cancel_order",
    description: isSecond ? "Cancel an order. The customer is told by mail" : "Cancel an order",
    annotations: { destructiveHint: true },
    inputSchema: { type: "object", properties: { order }, required: ["order"] },
  },
];

const text = (/** @type {string} */ value) => ({ content: [{ type: "text", text: value }] });

/** @param {string} name @param {any} args */
function call(name, args) {
  if (name === "get_order") {
    const total = isSecond ? { total_cents: 4250 } : { total: 42.5 };
    const found = { order: args.order, ...total, status: "shipped" };
    return { ...text(JSON.stringify(found)), structuredContent: found };
  }
  if (name === "find_orders") return text(`2 orders of ${args.customer}: A-1042, A-1077`);
  return text(`Order ${args.order} is cancelled`);
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const answers = {
      initialize: () => ({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "orders", version: isSecond ? "2.0.0" : "1.4.0" },
      }),
      ping: () => ({}),
      "tools/list": () => ({ tools: TOOLS }),
      "tools/call": () => call(params.name, params.arguments ?? {}),
    };
    const answer = Object.hasOwn(answers, method) ? answers[/** @type {keyof typeof answers} */ (method)] : undefined;
    const error = { code: -32601, message: `Method not found: ${method}` };
    const body = answer === undefined ? { error } : { result: answer() };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
  })
  .on("close", () => process.exit(0));
