// Answers calls with tasks of the extension `io.modelcontextprotocol/tasks` of the 2026-07-28 protocol.
import { ANY_OBJECT, send, serveStdio, text } from "./stdio-server.mjs";

const EXTENSION = "io.modelcontextprotocol/tasks";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const FORM = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const WHO = { method: "elicitation/create", params: { mode: "form", message: "Who?", requestedSchema: FORM } };

/** @typedef {{ polls: number, args: any, poll: (task: Task) => object, answers: Record<string, any> }} Task */
/** @type {Map<string, Task>} */
const tasks = new Map();
let nextId = 1;

/** @type {Record<string, Task["poll"]>} */
const POLLS = {
  job: ({ polls, args }) =>
    polls > 2
      ? { status: "completed", result: { ...text(JSON.stringify(args)), structuredContent: args } }
      : { status: "working", statusMessage: `poll ${polls}` },
  // The same question at every poll, until it is answered.
  asks: ({ answers }) =>
    answers.who === undefined
      ? { status: "input_required", inputRequests: { who: WHO } }
      : { status: "completed", result: text(JSON.stringify(answers)) },
  // Withdraws its question.
  fickle: ({ polls }) =>
    polls < 4
      ? { status: "input_required", inputRequests: { who: WHO } }
      : { status: polls < 6 ? "working" : "completed", result: text("without an answer") },
  insatiable: ({ polls }) => ({ status: "input_required", inputRequests: { [`who-${polls}`]: WHO } }),
  fails: () => ({ status: "failed", error: { code: -32050, message: "no space", data: { free: 0 } } }),
  empty: () => ({ status: "completed" }),
  hang: () => ({ status: "working" }),
};

/** @param {unknown} id @param {object} result */
const reply = (id, result) => send({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } });

/** @param {string} taskId @param {object} state */
const toTask = (taskId, state) => ({
  taskId,
  createdAt: "2026-01-01T00:00:00Z",
  lastUpdatedAt: "2026-01-01T00:00:00Z",
  ttlMs: 60_000,
  pollIntervalMs: 10,
  ...state,
});

serveStdio({
  name: "stateless-tasks",
  tools: [],
  handle: ({ id, method, params }) => {
    if (id === undefined) return true;
    const task = tasks.get(params?.taskId);
    const { [EXTENSION]: declared } = params._meta[CAPABILITIES]?.extensions ?? {};
    if (method?.startsWith("tasks/") && (task === undefined || declared === undefined)) {
      send({ jsonrpc: "2.0", id, error: { code: -32602, message: "Task not found" } });
      return true;
    }
    switch (method) {
      case "server/discover":
        reply(id, {
          supportedVersions: ["2026-07-28"],
          capabilities: { tools: {}, extensions: { [EXTENSION]: {} } },
          ttlMs: 0,
          cacheScope: "private",
          _meta: { "io.modelcontextprotocol/serverInfo": { name: "stateless-tasks", version: "2.0.0" } },
        });
        break;
      case "tools/list":
        reply(id, {
          tools: [...Object.keys(POLLS), "plain"].map((name) => ({ name, inputSchema: ANY_OBJECT })),
          ttlMs: 0,
          cacheScope: "private",
        });
        break;
      case "tools/call": {
        const poll = POLLS[params.name];
        if (poll === undefined || declared === undefined) {
          reply(id, text(declared === undefined ? "no tasks declared" : "plain"));
          break;
        }
        const taskId = `${params.name}-${nextId++}`;
        tasks.set(taskId, { polls: 0, args: params.arguments, poll, answers: {} });
        reply(id, { ...toTask(taskId, { status: "working" }), resultType: "task" });
        break;
      }
      case "tasks/get":
        /** @type {Task} */ (task).polls += 1;
        reply(id, toTask(params.taskId, task?.poll(task) ?? {}));
        break;
      case "tasks/update":
        Object.assign(task?.answers ?? {}, params.inputResponses);
        reply(id, {});
        break;
      case "tasks/cancel":
        process.stderr.write(`cancelled ${params.taskId}\n`);
        reply(id, {});
        break;
      default:
        send({ jsonrpc: "2.0", id, error: { code: -32601, message: `Method not found: ${method}` } });
    }
    return true;
  },
});
