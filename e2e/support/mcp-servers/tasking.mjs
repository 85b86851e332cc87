// Runs its tools as tasks of the 2025-11-25 protocol, well and badly.
import { ask, send, serveStdio, text } from "./stdio-server.mjs";

const RELATED = "io.modelcontextprotocol/related-task";
const LARGE_CHARS = 200_000;
/** An id that a server process knows which did not create it, as one that keeps its tasks in a database would. */
const KEPT = "kept-task";
const SCHEMA = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

/**
 * @typedef {{ id: string, polls: number, args: any, token: any, behavior: Behavior, cancelled?: boolean, answered?: any }} Task
 * @typedef {{ status: string, message?: string, pollInterval?: number, ttl?: number | null }} State
 * @typedef {{ id?: string, created?: Partial<State>, poll: (task: Task) => State | null | object, result?: (task: Task, id: unknown) => object | undefined, onCancel?: (task: Task) => boolean }} Behavior
 */

const WORKING = { status: "working" };
const DONE = { status: "completed" };
/** @param {number} polls @param {State} [meanwhile] @returns {Behavior["poll"]} */
const after =
  (polls, meanwhile = WORKING) =>
  (task) =>
    task.polls > polls ? DONE : meanwhile;

/** @type {Record<string, Behavior>} */
const BEHAVIORS = {
  steps: {
    poll: (task) => {
      const params = { progressToken: task.token, progress: task.polls, total: 3 };
      send({ jsonrpc: "2.0", method: "notifications/progress", params });
      return task.polls > 3 ? DONE : { status: "working", message: `step ${task.polls}` };
    },
  },
  optional: { poll: after(1) },
  asks: {
    poll: (task) => (task.answered === undefined ? { status: "input_required", message: "who?" } : DONE),
    result: (task, id) => {
      if (task.answered !== undefined) return text(JSON.stringify(task.answered));
      const params = { message: "Who?", requestedSchema: SCHEMA, _meta: { [RELATED]: { taskId: task.id } } };
      void ask("elicitation/create", params).then((answer) => {
        task.answered = answer.result;
        send({ jsonrpc: "2.0", id, result: text(JSON.stringify(task.answered)) });
      });
    },
  },
  fails: { poll: () => ({ status: "failed", message: "the disk is full" }), result: () => error(-32000, "no space") },
  refuses: { poll: () => ({ status: "failed" }), result: () => text("a refusal") },
  stops: { poll: () => ({ status: "cancelled", message: "by an administrator" }) },
  endless: { poll: () => WORKING, onCancel: () => false },
  hang: { poll: () => WORKING },
  vanishes: { poll: (task) => (task.polls > 2 ? null : { status: "working", ttl: 1000 }) },
  sleeps: { poll: after(3, { status: "sleeping", message: "zzz" }) },
  hectic: { created: { pollInterval: 0 }, poll: after(3, { status: "working", pollInterval: 0 }) },
  patient: {
    created: { pollInterval: 1e12 },
    poll: after(0),
  },
  garbled: { poll: (task) => (task.polls > 3 ? DONE : { taskId: 7 }) },
  broken: { poll: () => ({ taskId: 7 }) },
  large: { poll: after(0), result: () => text("x".repeat(LARGE_CHARS)) },
  // The process ends; the next one knows the task.
  restarts: { id: KEPT, poll: () => process.exit(7) },
  // The process ends, and the next one does not.
  forgets: { poll: () => process.exit(7) },
};

/** @type {Map<string, Task>} */
const tasks = new Map([
  [KEPT, { id: KEPT, polls: 0, args: {}, token: null, behavior: { poll: () => DONE, result: () => text("kept") } }],
]);
/** @param {number} code @param {string} message */
const error = (code, message) => ({ code, message });
/** @param {string} id @param {State} state */
const toTask = (id, { status, message, pollInterval = 10, ttl = null }) => ({
  taskId: id,
  status,
  ...(message === undefined ? {} : { statusMessage: message }),
  createdAt: "2026-01-01T00:00:00Z",
  lastUpdatedAt: "2026-01-01T00:00:00Z",
  ttl,
  pollInterval,
});

/** @param {any} args @param {string} name @param {any} params */
function create(args, name, params) {
  const behavior = /** @type {Behavior} */ (BEHAVIORS[name]);
  const id = behavior.id ?? `${name}-${tasks.size}`;
  tasks.set(id, { id, polls: 0, args, token: params._meta?.progressToken, behavior });
  if (name === "patient") {
    const status = toTask(id, DONE);
    setTimeout(() => send({ jsonrpc: "2.0", method: "notifications/tasks/status", params: status }), 50);
  }
  process.stderr.write(`created ${id} ttl ${params.task.ttl}\n`);
  return { task: toTask(id, { status: "working", ...behavior.created }) };
}

serveStdio({
  name: "tasking",
  capabilities: { tools: {}, tasks: { cancel: {}, list: {}, requests: { tools: { call: {} } } } },
  tools: [
    ...Object.keys(BEHAVIORS).map((name) => ({
      name,
      execution: { taskSupport: name === "optional" ? "optional" : "required" },
      run: (/** @type {any} */ args, /** @type {any} */ { params }) =>
        params.task === undefined ? text("without a task") : create(args, name, params),
    })),
    { name: "plain_answer", execution: { taskSupport: "required" }, run: () => text("no task needed") },
    // Is created only when its call was already cancelled.
    {
      name: "late",
      execution: { taskSupport: "required" },
      run: (args, { params }) => new Promise((resolve) => setTimeout(() => resolve(create(args, "hang", params)), 100)),
    },
  ],
  handle: ({ id, method, params }) => {
    if (!method?.startsWith("tasks/")) return false;
    const task = tasks.get(params.taskId);
    /** @param {object} answer */
    const reply = (answer) => send({ jsonrpc: "2.0", id, ...answer });
    const unknown = () => reply({ error: error(-32602, "Failed to retrieve task: Task not found") });
    if (task === undefined) {
      unknown();
    } else if (method === "tasks/get") {
      task.polls += 1;
      const state = task.behavior.poll(task);
      if (state === null) unknown();
      else reply({ result: "status" in state ? toTask(task.id, /** @type {State} */ (state)) : state });
    } else if (method === "tasks/result") {
      const answer =
        task.behavior.result === undefined ? text(JSON.stringify(task.args)) : task.behavior.result(task, id);
      if (answer !== undefined)
        reply(
          "code" in answer ? { error: answer } : { result: { ...answer, _meta: { [RELATED]: { taskId: task.id } } } },
        );
    } else if (method === "tasks/cancel") {
      process.stderr.write(`cancelled ${task.id}\n`);
      if (task.behavior.onCancel?.(task) === false) reply({ error: error(-32603, "not now") });
      else reply({ result: toTask(task.id, { status: "cancelled" }) });
    }
    return true;
  },
});
