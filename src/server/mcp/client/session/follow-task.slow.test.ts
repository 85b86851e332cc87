import { expect, it } from "vitest";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import {
  type Bench,
  type BenchOptions,
  buildContext,
  openBench,
  type RecordedContext,
  readText,
  script,
} from "../connections.test-support";

const LIMITS = { taskPoll: { minMs: 5, maxMs: 60_000, firstMs: 10 }, taskReconnectMs: 20, progressEveryMs: 0 };

async function connect(server: "tasking" | "stateless-tasks", options: BenchOptions = {}): Promise<Bench> {
  const bench = openBench({ ...options, limits: { ...LIMITS, ...options.limits } });
  bench.connections.apply(script(server, { protocol: server === "tasking" ? "legacy" : "auto" }));
  await bench.connections.ready(server);
  return bench;
}

const tasking = (options?: BenchOptions) => connect("tasking", options);
const extension = (options?: BenchOptions) => connect("stateless-tasks", options);

/** Calls a tool; the context says what the call reported. */
async function call(bench: Bench, tool: string, context: RecordedContext = buildContext(), args = { a: 1 }) {
  const server = bench.states[0]?.server ?? "";
  return await bench.connections.call(server, tool, args, context);
}

const listStderr = ({ lines }: Bench) =>
  lines.filter(({ line }) => line.stream === "stderr").map(({ line }) => line.text);

it("a tool that must run as a task is run as one: statuses are progress, the result is the call's", async () => {
  const bench = await tasking();
  const context = buildContext();
  const result = await call(bench, "steps", context);
  expect(result).toEqual({ content: [{ type: "text", text: '{"a":1}' }] });
  expect(context.tasks).toEqual([expect.stringMatching(/^steps-\d+$/)]);
  expect(context.logged).toEqual([
    `Runs as the task ${context.tasks[0]} of the server`,
    "Task working",
    "Task working: step 1",
    "Task working: step 2",
    "Task working: step 3",
    "Task completed",
  ]);
  // The tool's own report, under the token of a call that was answered long before.
  expect(context.steps).toContainEqual(expect.objectContaining({ progress: 3, total: 3 }));
  expect(context.steps.map(({ message }) => message)).toContain("step 3");
});

it("a tool that can run as a task does so only for a caller that can wait", async () => {
  const bench = await tasking();
  expect(readText(await call(bench, "optional"))).toBe("without a task");
  const context = buildContext({ asTask: true });
  expect(readText(await call(bench, "optional", context))).toBe('{"a":1}');
  expect(context.tasks).toHaveLength(1);
});

it("a server may answer without a task", async () => {
  const context = buildContext();
  expect(readText(await call(await tasking(), "plain_answer", context))).toBe("no task needed");
  expect(context.tasks).toEqual([]);
});

it("a request for input of a task reaches a user, with the timeout paused", async () => {
  const bench = await tasking({ answer: () => ({ action: "accept", content: { name: "Ada" } }) });
  const context = buildContext();
  // A second call, so that only the task's id says whose question it is.
  const other = new AbortController();
  const hanging = call(bench, "hang", buildContext({ signal: other.signal })).catch(() => "cancelled");
  expect(JSON.parse(readText(await call(bench, "asks", context)))).toEqual({
    action: "accept",
    content: { name: "Ada" },
  });
  expect(bench.questions).toMatchObject([{ question: { request: { kind: "form", message: "Who?" } } }]);
  expect([context.holds, context.released]).toEqual([1, 1]);
  other.abort();
  await hanging;
});

it.each([
  ["fails", /tasking: the task failed: the disk is full/],
  ["stops", /tasking: the server cancelled the task: by an administrator/],
  [
    "vanishes",
    /The task of server 'tasking' is lost, and its result too \(the server keeps tasks for 1 s\)\..*Task not found/,
  ],
  ["broken", /without a usable taskId or status/],
  ["forgets", /is lost, and its result too/],
])("a task that goes wrong (%s) fails the call and says why", async (tool, message) => {
  await expect(call(await tasking(), tool)).rejects.toThrow(message);
});

it("the result of a failed task is a failure", async () => {
  expect(await call(await tasking(), "refuses")).toMatchObject({ isError: true, content: [{ text: "a refusal" }] });
});

it.each(["sleeps", "hectic", "patient", "garbled"])(
  "a task of a careless server (%s) ends all the same",
  async (tool) => {
    expect(readText(await call(await tasking(), tool))).toBe('{"a":1}');
  },
);

it("a result that is too large ends the call at once", async () => {
  const bench = await tasking({ limits: { maxMessageBytes: 100_000 } });
  await expect(call(bench, "large")).rejects.toThrow(/larger than the 100000 bytes/);
});

it("a task outlives the server's process where the server keeps it", async () => {
  const bench = await tasking();
  const context = buildContext();
  expect(readText(await call(bench, "restarts", context))).toBe("kept");
  expect(context.logged).toContain("The connection to the server was lost while its task ran: reconnecting");
});

it.each(["hang", "endless", "late"])("a cancelled call cancels its task (%s)", async (tool) => {
  const bench = await tasking();
  const cancel = new AbortController();
  const calling = call(bench, tool, buildContext({ signal: cancel.signal }));
  if (tool === "late")
    await waitUntil(() => bench.connections.messages("tasking").some(({ method }) => method === "tools/call"));
  else await waitUntil(() => listStderr(bench).some((line) => line.startsWith("created")));
  cancel.abort("enough");
  await expect(calling).rejects.toMatchObject({ kind: "cancelled" });
  await waitUntil(() => listStderr(bench).some((line) => line.startsWith("cancelled")), { what: "tasks/cancel" });
});

it("the extension's tasks give their result, with its structured content", async () => {
  const context = buildContext();
  expect(await call(await extension(), "job", context)).toEqual({
    content: [{ type: "text", text: '{"a":1}' }],
    structuredContent: { a: 1 },
  });
  expect(context.logged).toContain("Task working: poll 2");
});

it("a request for input inside a task of the extension is asked once, and withdrawn with the task's need", async () => {
  const bench = await extension({ answer: () => ({ action: "accept", content: { name: "Ada" } }) });
  expect(JSON.parse(readText(await call(bench, "asks")))).toEqual({
    who: { action: "accept", content: { name: "Ada" } },
  });
  expect(bench.questions).toHaveLength(1);
  const open = await extension({ answer: () => new Promise(() => {}) });
  expect(readText(await call(open, "fickle"))).toBe("without an answer");
  expect(open.questions.map(({ signal }) => signal.aborted)).toEqual([true]);
  await expect(call(bench, "insatiable")).rejects.toThrow(/requested input more than 20 times/);
});

it("the error of a failed task of the extension is the call's, and a task without a result fails", async () => {
  const bench = await extension();
  await expect(call(bench, "fails")).rejects.toMatchObject({
    message: "stateless-tasks: no space (code -32050)",
    protocolError: { code: -32050, message: "no space", data: { free: 0 } },
  });
  await expect(call(bench, "empty")).rejects.toThrow("the task is completed, but has no result");
});

it("a cancelled call cancels its task of the extension", async () => {
  const bench = await extension();
  const cancel = new AbortController();
  const context = buildContext({ signal: cancel.signal });
  const calling = call(bench, "hang", context);
  await waitUntil(() => context.tasks.length === 1);
  cancel.abort("enough");
  await expect(calling).rejects.toMatchObject({ kind: "cancelled" });
  await waitUntil(() => listStderr(bench).some((line) => line === `cancelled ${context.tasks[0]}`), {
    what: "tasks/cancel",
  });
});
