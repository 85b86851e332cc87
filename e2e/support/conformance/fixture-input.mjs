// The tools of the `input-required-*` scenarios, as an MCP server of the 2026-07-28 protocol over stdio: it asks by
// answering `input_required`, with its own names for what it asks. The suite meets it through the gateway.
import { ANY_OBJECT, send, serveStdio, text } from "../mcp-servers/stdio-server.mjs";

const VERSION = "2026-07-28";

/** @param {string} message @param {string} property */
const form = (message, property, type = "string") => ({
  method: "elicitation/create",
  params: {
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: { [property]: { type } }, required: [property] },
  },
});
/** @param {string} question */
const sampling = (question) => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: question } }], maxTokens: 100 },
});
const ROOTS = { method: "roots/list", params: {} };

/**
 * The inputs that each tool requests, round by round, and its final result.
 * @type {Record<string, { rounds: Record<string, object>[], answer?: (responses: any) => string }>}
 */
const TOOLS = {
  test_input_required_result_elicitation: {
    rounds: [{ user_name: form("What is your name?", "name") }],
    answer: ({ user_name }) => `Hello, ${user_name.content?.name}!`,
  },
  test_input_required_result_sampling: { rounds: [{ capital_question: sampling("What is the capital of France?") }] },
  test_input_required_result_list_roots: { rounds: [{ client_roots: ROOTS }] },
  test_input_required_result_request_state: {
    rounds: [{ confirm: form("Please confirm", "ok", "boolean") }],
    answer: () => "state-ok",
  },
  test_input_required_result_multi_round: {
    rounds: [
      { step1: form("Step 1: What is your name?", "name") },
      { step2: form("Step 2: What is your favorite color?", "color") },
    ],
  },
  test_input_required_result_tampered_state: { rounds: [{ confirm: form("Please confirm", "ok", "boolean") }] },
  test_input_required_result_capabilities: { rounds: [{ greeting: sampling("Generate a greeting") }] },
  test_input_required_result_multiple_inputs: {
    rounds: [
      {
        user_name: form("What is your name?", "name"),
        greeting: sampling("Generate a greeting"),
        client_roots: ROOTS,
      },
    ],
  },
};

/** @param {any} params */
function run({ name, inputResponses, requestState }) {
  const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (tool === undefined) return { ...text(`There is no tool ${name}`), isError: true };
  /** @type {{ round: number, responses: object }} */
  const { round, responses } = requestState === undefined ? { round: 0, responses: {} } : JSON.parse(requestState);
  const answered = { ...responses, ...inputResponses };
  const inputRequests = tool.rounds[round];
  if (inputRequests === undefined) return text(tool.answer?.(answered) ?? JSON.stringify(answered));
  const state = JSON.stringify({ round: round + 1, responses: answered });
  return { resultType: "input_required", inputRequests, requestState: state };
}

const PROMPT = "test_input_required_result_prompt";

/** A prompt that asks a user what it is about. @param {any} params */
function getPrompt({ inputResponses }) {
  if (inputResponses === undefined) {
    const inputRequests = { user_context: form("What is the context?", "context") };
    return { resultType: "input_required", inputRequests, requestState: "prompt" };
  }
  const said = `Use the following context: ${inputResponses.user_context?.content?.context}`;
  return { messages: [{ role: "user", content: { type: "text", text: said } }] };
}

serveStdio({
  name: "conformance-input",
  tools: [],
  handle: ({ id, method, params }) => {
    if (id === undefined) return true;
    const reply = (/** @type {object} */ result) =>
      send({ jsonrpc: "2.0", id, result: { resultType: "complete", ttlMs: 0, cacheScope: "private", ...result } });
    if (method === "server/discover") reply({ supportedVersions: [VERSION], capabilities: { tools: {}, prompts: {} } });
    else if (method === "prompts/list") reply({ prompts: [{ name: PROMPT }] });
    else if (method === "prompts/get" && params.name === PROMPT) reply(getPrompt(params));
    else if (method === "tools/list")
      reply({ tools: Object.keys(TOOLS).map((name) => ({ name, inputSchema: ANY_OBJECT })) });
    else if (method === "tools/call") reply(run(params));
    else send({ jsonrpc: "2.0", id, error: { code: -32601, message: `Method not found: ${method}` } });
    return true;
  },
});
