// The tools of the `tasks-*` scenarios, as an MCP server over stdio that says which of them take long. The suite meets
// them through the gateway, which makes the tasks.
import { ANY_OBJECT, send, serveStdio, text } from "../mcp-servers/stdio-server.mjs";

/** Longer than the gateway waits before a call of any tool becomes a task. */
const LONG_MS = 4000;
const FORM = { type: "object", properties: { name: { type: "string" }, confirm: { type: "boolean" } } };

/** @type {Map<unknown, (answer: any) => void>} */
const waiting = new Map();
let nextId = 1;

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {string} message @returns {Promise<any>} */
function elicit(message) {
  const id = `ask-${nextId++}`;
  send({ jsonrpc: "2.0", id, method: "elicitation/create", params: { message, requestedSchema: FORM } });
  return new Promise((resolve) => waiting.set(id, resolve));
}

/** @param {string} name @param {(args: any, call: { id: unknown }) => unknown} run */
const slow = (name, run) => ({ name, inputSchema: ANY_OBJECT, execution: { taskSupport: "optional" }, run });

serveStdio({
  name: "conformance-tasks",
  tools: [
    { name: "greet", inputSchema: ANY_OBJECT, run: ({ name }) => text(`Hello, ${name}!`) },
    slow("slow_compute", async ({ seconds, label }) => {
      await sleep(seconds * 1000);
      return text(`${label}: done after ${seconds} s`);
    }),
    slow("failing_job", async () => {
      await sleep(1000);
      return { ...text("The job failed"), isError: true };
    }),
    slow("protocol_error_job", (_args, { id }) => {
      send({ jsonrpc: "2.0", id, error: { code: -32603, message: "The job crashed" } });
    }),
    slow("confirm_delete", async ({ filename }) => text(`${filename}: ${(await elicit("Delete it?")).action}`)),
    slow("multi_input", async () => text(JSON.stringify(await Promise.all([elicit("First?"), elicit("Second?")])))),
    // Asks first, then takes long: an ordinary tool, whose call becomes a task in its second round.
    {
      name: "test_tool_with_task",
      inputSchema: ANY_OBJECT,
      run: async () => {
        const { content } = await elicit("What is your name?");
        await sleep(LONG_MS);
        return text(`Hello, ${content?.name}!`);
      },
    },
  ],
  handle: ({ id, method, result }) => {
    if (method !== undefined) return false;
    waiting.get(id)?.(result);
    return true;
  },
});
