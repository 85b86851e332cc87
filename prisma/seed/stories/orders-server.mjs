// A small MCP server of the seed, in two versions: the second one breaks calls that worked with the first, changes a
// skill and adds another.
import { createHash } from "node:crypto";
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

/** @param {string} name @param {string} description @param {string} body */
const write = (name, description, body) => `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;

const REFUND_STEPS = [
  "1. Read the order with `get_order`.",
  "2. Compare the total with the refund that the customer wants.",
  isSecond
    ? "3. Up to 200 EUR, refund it with `cancel_order` without asking. Limits: [limits](references/limits.md)."
    : "3. Above 50 EUR, ask a colleague first. Limits: [limits](references/limits.md).",
  "4. Tell the customer when the money arrives.",
].join("\n");

/** The description and the files of each skill, by its name. @type {Record<string, [string, Record<string, string>]>} */
const SKILLS = {
  "refund-review": [
    "Check a refund before it is paid. Use it when a customer wants money back.",
    {
      "SKILL.md": REFUND_STEPS,
      "references/limits.md": isSecond ? "Refunds of up to 200 EUR need no colleague.\n" : "Ask above 50 EUR.\n",
    },
  ],
  ...(isSecond && {
    "bulk-cancel": [
      "Cancel all open orders of a customer. Use it when an account is closed.",
      { "SKILL.md": "1. List the orders with `find_orders`.\n2. Cancel each with `cancel_order`." },
    ],
  }),
};

/** The text of each file by its URI. */
const files = new Map(
  Object.entries(SKILLS).flatMap(([name, [description, own]]) =>
    Object.entries(own).map(([file, body]) => [
      `skill://${name}/${file}`,
      file === "SKILL.md" ? write(name, description, body) : body,
    ]),
  ),
);

const listSkills = () =>
  Object.entries(SKILLS).map(([name, [description]]) => ({
    uri: `skill://${name}/SKILL.md`,
    frontmatter: { name, description },
    resources: [...files]
      .filter(([uri]) => uri.startsWith(`skill://${name}/`))
      .map(([uri, body]) => ({
        uri,
        digest: `sha256:${createHash("sha256").update(body).digest("hex")}`,
        size: Buffer.byteLength(body),
      })),
  }));

/** @param {string} uri */
const read = (uri) => ({ contents: [{ uri, mimeType: "text/markdown", text: files.get(uri) ?? "" }] });

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
        capabilities: { tools: {}, resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } },
        serverInfo: { name: "orders", version: isSecond ? "2.0.0" : "1.4.0" },
      }),
      ping: () => ({}),
      "tools/list": () => ({ tools: TOOLS }),
      "tools/call": () => call(params.name, params.arguments ?? {}),
      "resources/list": () => ({ resources: [] }),
      "resources/templates/list": () => ({ resourceTemplates: [] }),
      "resources/read": () => read(params.uri),
      "skills/list": () => ({ skills: listSkills() }),
      "skills/get": () => ({ skill: listSkills().find(({ uri }) => uri === params.uri) }),
    };
    const answer = Object.hasOwn(answers, method) ? answers[/** @type {keyof typeof answers} */ (method)] : undefined;
    const error = { code: -32601, message: `Method not found: ${method}` };
    const body = answer === undefined ? { error } : { result: answer() };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
  })
  .on("close", () => process.exit(0));
