import { z } from "zod";
import {
  replayChoiceSchema,
  replayPreviewSchema,
  suiteFileSchema,
  suiteInputSchema,
  suiteSchema,
  suiteSummarySchema,
  suiteTestSchema,
  testRunDetailSchema,
  testRunSchema,
} from "../../../lib/contract/suite";
import { act, type OperationContext, operations, read } from "../../platform/api/operation";
import { revision } from "../../platform/api/revision-input";
import { describePage, executionIdSchema, pageQuery, toPage, waitSchema } from "../../platform/api/route-inputs";

const name = z.string().min(1).max(100);
const id = z.string().min(1).max(100);
const byId = z.object({ id });
/** How a run is started. */
const start = z.strictObject({
  asksForApproval: z
    .boolean()
    .optional()
    .describe(
      "Calls of tools that need approval ask for it; default: as the suite says, and of a replay they are left out",
    ),
  waitMs: waitSchema.describe("Milliseconds that the response may wait for the end; default 0"),
});

type Services = OperationContext["services"];
type Start = z.output<typeof start>;

const ofSuite = (input: { name: string }) => ({ kind: "suite", name: input.name });
const toOptions = ({ sent }: OperationContext, { asksForApproval }: Start) => ({
  asksForApproval,
  trigger: sent === null ? ("manual" as const) : ("api" as const),
});
const awaitEnd = ({ services }: OperationContext, run: { id: string }, { waitMs = 0 }: Start) =>
  services.tests.awaitRun(run.id, waitMs);

/** The suite without its tests, whose arguments may be secrets. */
async function toState({ tests }: Services, suite: string) {
  const { tests: all, ...settings } = await tests.get(suite);
  return { ...settings, tests: all.map((test) => test.name) };
}

/** Suites of tests and their runs. Their commands are `suites` and `test`: they take files, and follow runs to their end. */
export const testOperations = operations("tests", {
  list: read({
    rest: "GET /suites",
    summary: "List the test suites by name, each with its last run",
    allow: "read",
    output: z.array(suiteSummarySchema),
    run: ({ services }) => services.tests.list(),
  }),
  create: act({
    rest: "POST /suites",
    summary: "Create a suite",
    allow: "edit",
    input: suiteInputSchema,
    output: suiteSchema,
    status: 201,
    versioned: true,
    audit: { target: ofSuite, after: (made, _, services) => toState(services, made.name) },
    run: ({ services, actor }, input) => services.tests.create(actor, input),
  }),
  // The first route that fits a path is taken: before `get`.
  export: read({
    rest: "GET /suites/export",
    summary: "Export suites as a file for git: the same suites give the same bytes",
    allow: "read",
    input: z.object({ name: z.array(z.string().max(100)).max(200).optional().describe("Only these; default: all") }),
    output: suiteFileSchema,
    download: {
      respond: (file) =>
        new Response(`${JSON.stringify(file, null, 2)}\n`, {
          headers: { "content-type": "application/json", "cache-control": "no-store" },
        }),
    },
    run: ({ services }, input) => services.tests.export(input.name),
  }),
  import: act({
    rest: "POST /suites/import",
    summary: "Import a file of suites: new ones are created, those that differ are replaced",
    allow: "edit",
    input: suiteFileSchema,
    output: z.object({ created: z.array(z.string()), replaced: z.array(z.string()), same: z.array(z.string()) }),
    audit: { target: () => ({ kind: "suite", name: "file" }), after: (outcome) => outcome },
    run: ({ services, actor }, input) => services.tests.import(actor, input.suites),
  }),
  get: read({
    rest: "GET /suites/{name}",
    summary: "Get a suite with its tests",
    allow: "read",
    input: z.object({ name }),
    output: suiteSchema,
    versioned: true,
    run: ({ services }, input) => services.tests.get(input.name),
  }),
  update: act({
    rest: "PUT /suites/{name}",
    summary: "Replace a suite",
    allow: "edit",
    input: z.object({ name, suite: suiteInputSchema, revision }),
    body: "suite",
    output: suiteSchema,
    versioned: async ({ tests }, input) => (await tests.get(input.name)).lastEdit,
    audit: {
      target: (input, made) => ofSuite(made ?? input),
      state: (services, input, made) => toState(services, made?.name ?? input.name),
    },
    run: ({ services, actor }, input) => services.tests.update(actor, input.name, input.suite, input.revision),
  }),
  delete: act({
    rest: "DELETE /suites/{name}",
    summary: "Delete a suite with its runs",
    allow: "edit",
    input: z.object({ name, revision }),
    versioned: async ({ tests }, input) => (await tests.get(input.name)).lastEdit,
    audit: { target: ofSuite, state: (services, input) => toState(services, input.name) },
    run: ({ services, actor }, input) => services.tests.delete(actor, input.name, input.revision),
  }),
  propose: read({
    rest: "GET /executions/{executionId}/test",
    summary: "Get the test that an execution suggests: nothing is saved",
    allow: "read",
    input: z.object({ executionId: executionIdSchema }),
    output: suiteTestSchema,
    run: ({ services, principal }, input) => services.tests.propose(principal, input.executionId),
  }),
  saveExecution: act({
    rest: "POST /executions/{executionId}/test",
    summary: "Save the test that an execution suggests in a suite, which is created where there is none of the name",
    allow: "edit",
    input: z.object({
      executionId: executionIdSchema.describe("The recorded call, such as exec_7hJ2…"),
      suite: suiteInputSchema.shape.name.describe("The name of the suite: letters, digits, '_' and '-'"),
      name: suiteTestSchema.shape.name.optional().describe("Default: the one that is suggested"),
    }),
    output: z.object({ suite: z.string(), test: z.string() }),
    status: 201,
    audit: {
      target: (input) => ({ kind: "suite", name: input.suite }),
      after: (saved) => ({ test: saved.test }),
    },
    async run({ services: { tests }, actor, principal }, { executionId, suite, name: chosen }) {
      const proposed = await tests.propose(principal, executionId);
      const test = { ...proposed, name: chosen ?? proposed.name };
      await tests.addTest(actor, suite, test);
      return { suite, test: test.name };
    },
    agent: {
      name: "save_test",
      description:
        "Save a recorded call as a test of a suite: its arguments, and assertions on the result that it had.",
      adds: true,
    },
  }),
  addTest: act({
    rest: "POST /suites/{suite}/tests",
    summary: "Add a test to a suite, which is created where there is none of the name",
    allow: "edit",
    input: z.object({ suite: suiteInputSchema.shape.name, test: suiteTestSchema }),
    body: "test",
    output: suiteSchema,
    status: 201,
    versioned: true,
    audit: {
      target: (input) => ({ kind: "suite", name: input.suite }),
      after: (_, input) => ({ test: input.test.name }),
    },
    run: ({ services, actor }, input) => services.tests.addTest(actor, input.suite, input.test),
  }),
  run: act({
    rest: "POST /suites/{name}/run",
    summary: "Run a suite. A run that is still running after `waitMs` is returned as it is",
    allow: "run",
    input: start.extend({ name }),
    output: testRunDetailSchema,
    audit: { target: ofSuite, after: (run) => ({ run: run.id }) },
    reply: awaitEnd,
    run: (context, input) => context.services.tests.run(context.actor, input.name, toOptions(context, input)),
  }),
  runs: read({
    rest: "GET /test-runs",
    summary: "List runs of suites and replays, newest first, 30 a page",
    allow: "read",
    input: pageQuery.omit({ limit: true }).extend({ suite: z.string().max(100).optional() }),
    output: describePage(testRunSchema),
    run: async ({ services }, input) => toPage(await services.tests.runs(input)),
  }),
  runInput: act({
    rest: "POST /test-runs",
    summary: "Run a suite that is not saved, as a file has it",
    allow: "run",
    input: z.strictObject({ suite: suiteInputSchema, ...start.shape }),
    output: testRunDetailSchema,
    status: 201,
    audit: { target: (input) => ofSuite(input.suite), after: (run) => ({ run: run.id }) },
    reply: awaitEnd,
    run: (context, input) => context.services.tests.runInput(context.actor, input.suite, toOptions(context, input)),
  }),
  /** Not a query, since the ids are longer than an address may be. */
  previewReplay: act({
    rest: "POST /test-runs/replay/preview",
    summary: "Count the calls that a replay would make, by tool, and which need approval",
    allow: "read",
    input: replayChoiceSchema.strict(),
    output: replayPreviewSchema,
    audit: { unrecorded: "It changes nothing" },
    run: ({ services, principal }, input) => services.tests.previewReplay(principal, input),
  }),
  startReplay: act({
    rest: "POST /test-runs/replay",
    summary: "Call the current tools with the arguments of recorded calls, at most 500 of the newest, and compare",
    allow: "run",
    input: replayChoiceSchema.extend(start.shape).strict(),
    output: testRunDetailSchema,
    status: 201,
    audit: {
      target: (_, run) => ({ kind: "test run", name: run?.id ?? "" }),
      after: ({ id: run, total }) => ({ run, calls: total }),
    },
    reply: awaitEnd,
    run(context, input) {
      const { ids, filter } = input;
      const options = { reader: context.principal, ...toOptions(context, input) };
      return context.services.tests.startReplay(context.actor, { ids, filter }, options);
    },
  }),
  getRun: read({
    rest: "GET /test-runs/{id}",
    summary: "Get a run with the result of each call",
    allow: "read",
    input: byId.extend({
      waitMs: z
        .string()
        .regex(/^\d{1,5}$/, "must be an integer from 0 to 60000")
        .transform((text) => Math.min(60_000, Number(text)))
        .optional()
        .describe("Milliseconds that the response may wait for the end; default 0"),
    }),
    output: testRunDetailSchema,
    run: ({ services }, input) => services.tests.awaitRun(input.id, input.waitMs ?? 0),
  }),
  cancelRun: act({
    rest: "POST /test-runs/{id}/cancel",
    summary: "Cancel a run: its calls that run are cancelled, the others are not made",
    allow: "run",
    input: byId,
    output: z.object({ cancelled: z.boolean().describe("False for a run that had ended already") }),
    audit: { target: (input) => ({ kind: "test run", name: input.id }), after: (outcome) => outcome },
    run: ({ services, actor }, input) => services.tests.cancelRun(actor, input.id),
  }),
});
