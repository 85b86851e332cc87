import { z } from "zod";
import {
  evalCandidateSchema,
  evalComparisonSchema,
  evalDecisionSchema,
  evalInputSchema,
  evalOriginSchema,
  evalRunInputSchema,
  evalSchema,
} from "../../../lib/contract/eval";
import {
  replayChoiceSchema,
  replayPreviewSchema,
  suiteFileSchema,
  suiteInputSchema,
  suiteKindSchema,
  suiteRunDetailSchema,
  suiteRunSchema,
  suiteSchema,
  suiteSummarySchema,
  suiteTestSchema,
} from "../../../lib/contract/suite";
import { toolDefinitionSchema } from "../../../lib/contract/tool-definition-schema";
import { formatRateInterval } from "../../../lib/format/rate-interval";
import { act, type OperationContext, operations, read } from "../../platform/api/operation";
import { revision } from "../../platform/api/revision-input";
import {
  describePage,
  executionIdSchema,
  numberInQuery,
  pageQuery,
  toPage,
  waitSchema,
} from "../../platform/api/route-inputs";

const name = z.string().min(1).max(100);
const id = z.string().min(1).max(100);
const byId = z.object({ id });
const runKind = z.enum(["tests", "evals", "replay"]);
/** An eval is found by its id: its suite is a part of the address alone. */
const byEval = z.object({ suite: name.optional(), id });
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
/** The model that runs evals; what is left out is as the suite or its last run has it. */
const chosenModel = z.object({
  provider: evalRunInputSchema.shape.provider.optional(),
  model: evalRunInputSchema.shape.model.optional(),
  rounds: evalRunInputSchema.shape.rounds.unwrap().optional().describe("Attempts of each eval; default 3"),
  offering: evalRunInputSchema.shape.offering.unwrap().optional(),
  editing: z.string().max(200).nullable().optional().describe("The tool that `definition` replaces; none: a new one"),
  definition: z.string().max(4_000_000).optional(),
});
/** The date since which the earlier routes are deprecated. */
const SINCE = "2026-11-30";

type Services = OperationContext["services"];
type Start = z.output<typeof start>;

const ofSuite = (input: { name: string }) => ({ kind: "suite", name: input.name });
const ofEval = (suite: string) => ({ kind: "eval", name: suite });
const toTrigger = ({ sent }: OperationContext) => (sent === null ? ("manual" as const) : ("api" as const));
const awaitEnd = ({ services }: OperationContext, run: { id: string }, { waitMs = 0 }: Start) =>
  services.suites.awaitRun(run.id, waitMs);
/** The suite without its tests, whose arguments may be secrets. */
async function toState({ suites }: Services, suite: string) {
  const { tests: all, ...settings } = await suites.get(suite);
  return { ...settings, tests: all.map((test) => test.name) };
}

/** Suites of tests and of evals, and their runs. Commands that take files, or follow runs to their end, are commands of their own. */
export const suiteOperations = operations(
  "suites",
  {
    list: read({
      rest: "GET /suites",
      formerly: [
        {
          rest: "GET /evals",
          since: SINCE,
          with: { kind: ["evals"] },
          toAnswer: (suites) => suites.map((suite) => ({ ...suite, evals: suite.evalCount })),
        },
      ],
      summary: "List the suites of tests and of evals by name, each with its last run",
      allow: "read",
      input: z.object({ kind: z.array(suiteKindSchema).max(2).optional().describe("Only these; default: both") }),
      output: z.array(suiteSummarySchema),
      run: ({ services }, input) => services.suites.list(input.kind),
      cli: {
        words: "list",
        summary: "List the suites with their last run",
        examples: [
          ["toolroom suites list", "as a table"],
          ["toolroom suites list --kind evals --json", "those of evals, with everything known, as JSON"],
        ],
        options: { kind: ["--kind <kind>", "only suites of tests or of evals; may be repeated"] },
        table: {
          columns: {
            SUITE: (suite) => suite.name,
            TYPE: ({ kind }) => kind,
            CASES: ({ testCount, evalCount }) => String(testCount + evalCount),
            "LAST RUN": ({ lastRun }) => (lastRun === null ? "never" : lastRun.status),
            OUTCOME: ({ lastRun }) => {
              if (lastRun === null) return "";
              if (lastRun.kind !== "evals") return `${lastRun.passed} of ${lastRun.total} passed`;
              return `${formatRateInterval(lastRun)} with ${lastRun.provider}/${lastRun.model}`;
            },
          },
          empty: "No suites. Save an execution as a test, or add an eval, in the console.",
        },
      },
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
      run: ({ services, actor }, input) => services.suites.create(actor, input),
    }),
    // The first route that fits a path is taken: before `get`.
    export: read({
      rest: "GET /suites/export",
      summary: "Export suites of tests as a file for git: the same suites give the same bytes",
      allow: "read",
      input: z.object({ name: z.array(z.string().max(100)).max(200).optional().describe("Only these; default: all") }),
      output: z.object({
        toolroomSuites: z.literal(1),
        suites: z.array(suiteInputSchema.omit({ kind: true, runWith: true })),
      }),
      download: {
        respond: (file) =>
          new Response(`${JSON.stringify(file, null, 2)}\n`, {
            headers: { "content-type": "application/json", "cache-control": "no-store" },
          }),
      },
      run: ({ services }, input) => services.suites.export(input.name),
    }),
    import: act({
      rest: "POST /suites/import",
      summary: "Import a file of suites: new ones are created, those that differ are replaced",
      allow: "edit",
      input: suiteFileSchema,
      output: z.object({ created: z.array(z.string()), replaced: z.array(z.string()), same: z.array(z.string()) }),
      audit: { target: () => ({ kind: "suite", name: "file" }), after: (outcome) => outcome },
      run: ({ services, actor }, input) => services.suites.import(actor, input.suites),
    }),
    get: read({
      rest: "GET /suites/{name}",
      summary: "Get a suite, with its tests",
      allow: "read",
      input: z.object({ name }),
      output: suiteSchema,
      versioned: true,
      run: ({ services }, input) => services.suites.get(input.name),
    }),
    update: act({
      rest: "PUT /suites/{name}",
      summary: "Replace a suite. Its evals stay",
      allow: "edit",
      input: z.object({ name, suite: suiteInputSchema, revision }),
      body: "suite",
      output: suiteSchema,
      versioned: async ({ suites }, input) => (await suites.get(input.name)).lastEdit,
      audit: {
        target: (input, made) => ofSuite(made ?? input),
        state: (services, input, made) => toState(services, made?.name ?? input.name),
      },
      run: ({ services, actor }, input) => services.suites.update(actor, input.name, input.suite, input.revision),
    }),
    delete: act({
      rest: "DELETE /suites/{name}",
      formerly: [{ rest: "DELETE /evals/{name}", since: SINCE }],
      summary: "Delete a suite with its tests or evals, and its runs",
      allow: "edit",
      input: z.object({ name, revision }),
      versioned: async ({ suites }, input) => (await suites.get(input.name)).lastEdit,
      audit: { target: ofSuite, state: (services, input) => toState(services, input.name) },
      run: ({ services, actor }, input) => services.suites.delete(actor, input.name, input.revision),
    }),
    propose: read({
      rest: "GET /executions/{executionId}/test",
      summary: "Get the test that an execution suggests: nothing is saved",
      allow: "read",
      input: z.object({ executionId: executionIdSchema }),
      output: suiteTestSchema,
      run: ({ services, principal }, input) => services.suites.propose(principal, input.executionId),
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
      run: ({ services, actor, principal }, { name: chosen = null, ...from }) =>
        services.suites.saveExecution(actor, principal, { ...from, name: chosen }),
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
      run: ({ services, actor }, input) => services.suites.addTest(actor, input.suite, input.test),
    }),
    evals: read({
      rest: "GET /suites/{suite}/evals",
      formerly: [{ rest: "GET /evals/{suite}/questions", since: SINCE }],
      summary: "List the evals of a suite, oldest first",
      allow: "read",
      input: z.object({ suite: name }),
      output: z.array(evalSchema),
      run: ({ services }, input) => services.suites.evals(input.suite),
    }),
    addEval: act({
      rest: "POST /suites/{suite}/evals",
      formerly: [{ rest: "POST /evals/{suite}/questions", since: SINCE }],
      summary: "Add an eval to a suite, which is created where there is none of the name",
      allow: "edit",
      input: evalInputSchema.strict(),
      output: evalSchema,
      status: 201,
      audit: { target: (input) => ofEval(input.suite), after: (made) => made },
      run: ({ services, actor }, input) => services.suites.addEval(actor, input),
    }),
    getEval: read({
      rest: "GET /suites/{suite}/evals/{id}",
      formerly: [{ rest: "GET /evals/{suite}/questions/{id}", since: SINCE }],
      summary: "Get an eval",
      allow: "read",
      input: byEval,
      output: evalSchema,
      versioned: true,
      run: ({ services }, input) => services.suites.getEval(input.id),
    }),
    updateEval: act({
      rest: "PUT /suites/{suite}/evals/{id}",
      formerly: [{ rest: "PUT /evals/{suite}/questions/{id}", since: SINCE }],
      summary: "Replace an eval. Another suite in the body moves it there",
      allow: "edit",
      input: byEval.extend({ eval: evalInputSchema, revision }),
      body: "eval",
      output: evalSchema,
      versioned: async ({ suites }, input) => (await suites.getEval(input.id)).lastEdit,
      audit: { target: (input) => ofEval(input.eval.suite), after: (made) => made },
      run: ({ services, actor }, input) => services.suites.updateEval(actor, input.id, input.eval, input.revision),
    }),
    deleteEval: act({
      rest: "DELETE /suites/{suite}/evals/{id}",
      formerly: [{ rest: "DELETE /evals/{suite}/questions/{id}", since: SINCE }],
      summary: "Delete an eval",
      allow: "edit",
      input: byEval.extend({ revision }),
      versioned: async ({ suites }, input) => (await suites.getEval(input.id)).lastEdit,
      audit: { target: (input) => ofEval(input.id) },
      run: ({ services, actor }, input) => services.suites.deleteEval(actor, input.id, input.revision),
    }),
    candidates: read({
      rest: "GET /suite-candidates",
      formerly: [{ rest: "GET /eval-candidates", since: SINCE }],
      summary: "List the newest decisions of models in recorded runs that are no evals yet",
      allow: "read",
      output: z.array(evalCandidateSchema),
      run: ({ services }) => services.suites.candidates(),
    }),
    candidate: read({
      rest: "GET /suite-candidates/{runId}/{step}",
      formerly: [{ rest: "GET /eval-candidates/{runId}/{step}", since: SINCE }],
      summary: "Get one decision of a recorded run with the conversation before it",
      allow: "read",
      input: evalOriginSchema,
      output: evalDecisionSchema,
      run: ({ services }, input) => services.suites.candidate(input),
    }),
    dismiss: act({
      rest: "POST /suite-candidates/{runId}/{step}/dismiss",
      formerly: [{ rest: "POST /eval-candidates/{runId}/{step}/dismiss", since: SINCE }],
      summary: "Leave a decision out of the candidates from now on",
      allow: "edit",
      input: evalOriginSchema,
      audit: { target: (input) => ({ kind: "run", name: input.runId }), after: (_, input) => input },
      run: ({ services, actor }, input) => services.suites.dismiss(actor, input),
    }),
    run: act({
      rest: "POST /suites/{name}/run",
      formerly: [{ rest: "POST /evals/{name}/runs", since: SINCE, status: 201 }],
      summary:
        "Run a suite; evals with the model that is given, else the suite's own, else that of the last run. A run that is " +
        "still running after `waitMs` is returned as it is",
      allow: "run",
      input: start.extend({ name, ...chosenModel.shape }),
      texts: { definition: toolDefinitionSchema.optional().describe("Of evals: offered as if it were saved") },
      output: suiteRunDetailSchema,
      audit: {
        target: ofSuite,
        after: (run) =>
          run.kind === "evals"
            ? {
                run: run.id,
                provider: run.provider,
                model: run.model,
                rounds: run.rounds,
                offering: run.offering,
                edited: run.edited,
              }
            : { run: run.id },
      },
      reply: awaitEnd,
      run: async (context, { name: suite, editing = null, definition, waitMs: _, ...options }) => {
        const edit = definition === undefined ? undefined : { editing, definitionText: definition };
        const { services, actor } = context;
        const run = await services.suites.run(actor, suite, { ...options, edit, trigger: toTrigger(context) });
        return await services.suites.awaitRun(run.id, 0);
      },
    }),
    runs: read({
      rest: "GET /suite-runs",
      formerly: [
        { rest: "GET /test-runs", since: SINCE, with: { kind: ["tests", "replay"] } },
        { rest: "GET /eval-runs", since: SINCE, with: { kind: ["evals"] } },
      ],
      summary: "List runs of suites and replays, newest first, 30 a page",
      allow: "read",
      input: pageQuery.omit({ limit: true }).extend({
        suite: z.string().max(100).optional(),
        kind: z.array(runKind).max(3).optional().describe("Only these; default: all"),
      }),
      output: describePage(suiteRunSchema),
      run: async ({ services }, input) => toPage(await services.suites.runs(input)),
    }),
    runInput: act({
      rest: "POST /suite-runs",
      formerly: [{ rest: "POST /test-runs", since: SINCE, status: 201 }],
      summary: "Run a suite of tests that is not saved, as a file has it",
      allow: "run",
      input: z.strictObject({ suite: suiteInputSchema, ...start.shape }),
      output: suiteRunDetailSchema,
      status: 201,
      audit: { target: (input) => ofSuite(input.suite), after: (run) => ({ run: run.id }) },
      reply: awaitEnd,
      run: (context, { suite, asksForApproval }) =>
        context.services.suites.runInput(context.actor, suite, { asksForApproval, trigger: toTrigger(context) }),
    }),
    /** Sent as an act instead of a query, since the ids are longer than an address may be. */
    previewReplay: act({
      rest: "POST /suite-runs/replay/preview",
      formerly: [{ rest: "POST /test-runs/replay/preview", since: SINCE }],
      summary: "Count the calls that a replay would make, by tool, and which need approval",
      allow: "read",
      input: replayChoiceSchema.strict(),
      output: replayPreviewSchema,
      audit: { unrecorded: "It changes nothing" },
      run: ({ services, principal }, input) => services.suites.previewReplay(principal, input),
    }),
    startReplay: act({
      rest: "POST /suite-runs/replay",
      formerly: [{ rest: "POST /test-runs/replay", since: SINCE, status: 201 }],
      summary: "Call the current tools with the arguments of recorded calls, at most 500 of the newest, and compare",
      allow: "run",
      input: replayChoiceSchema.extend(start.shape).strict(),
      output: suiteRunDetailSchema,
      status: 201,
      audit: {
        target: (_, run) => ({ kind: "suite run", name: run?.id ?? "" }),
        after: ({ id: run, total }) => ({ run, calls: total }),
      },
      reply: awaitEnd,
      run(context, { ids, filter, asksForApproval }) {
        const options = { reader: context.principal, asksForApproval, trigger: toTrigger(context) };
        return context.services.suites.startReplay(context.actor, { ids, filter }, options);
      },
    }),
    getRun: read({
      rest: "GET /suite-runs/{id}",
      formerly: [
        { rest: "GET /test-runs/{id}", since: SINCE },
        { rest: "GET /eval-runs/{id}", since: SINCE },
      ],
      summary: "Get a run with the result of each test, or the attempts of its evals",
      allow: "read",
      input: byId.extend({
        waitMs: numberInQuery(0, 60_000)
          .optional()
          .describe("Milliseconds that the response may wait for the end; default 0"),
      }),
      output: suiteRunDetailSchema,
      run: ({ services }, input) => services.suites.awaitRun(input.id, input.waitMs ?? 0),
    }),
    compareRuns: read({
      rest: "GET /suite-runs/{id}/compare",
      formerly: [{ rest: "GET /eval-runs/{id}/compare", since: SINCE }],
      summary: "Compare a run of evals with an earlier one, and say whether chance explains the difference",
      allow: "read",
      input: byId.extend({ before: id.describe("The id of the earlier run") }),
      output: evalComparisonSchema,
      run: ({ services }, input) => services.suites.compareRuns(input.before, input.id),
    }),
    cancelRun: act({
      rest: "POST /suite-runs/{id}/cancel",
      formerly: [
        { rest: "POST /test-runs/{id}/cancel", since: SINCE },
        { rest: "POST /eval-runs/{id}/cancel", since: SINCE },
      ],
      summary: "Cancel a run: its cases that run are cancelled, the others do not begin",
      allow: "run",
      input: byId,
      output: z.object({ cancelled: z.boolean().describe("False for a run that had ended already") }),
      audit: { target: (input) => ({ kind: "suite run", name: input.id }), after: (outcome) => outcome },
      run: ({ services, actor }, input) => services.suites.cancelRun(actor, input.id),
    }),
  },
  {
    summary: "List and run suites of tests and evals, and move them between Toolroom and files",
    description:
      "Suites of tests call tools and check what they return. Suites of evals ask a model questions and check which tool it calls first.",
    examples: ["toolroom suites list", "toolroom suites export > suites.json", "toolroom suites run web-shop --k 5"],
  },
);
