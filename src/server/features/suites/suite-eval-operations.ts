import { z } from "zod";
import {
  evalCandidateSchema,
  evalComparisonSchema,
  evalDecisionSchema,
  evalInputSchema,
  evalOriginSchema,
  evalRunDetailSchema,
  evalRunInputSchema,
  evalRunSummarySchema,
  evalSchema,
  evalSuiteSchema,
  suiteNameSchema,
} from "../../../lib/contract/eval";
import { toolDefinitionSchema } from "../../../lib/contract/tool-definition-schema";
import { formatRateInterval } from "../../../lib/format/rate-interval";
import { act, operations, read } from "../../platform/api/operation";
import { revision } from "../../platform/api/revision-input";
import { describePage, pageQuery, toPage } from "../../platform/api/route-inputs";

const id = z.string().min(1).max(100);
const suite = z.string().min(1).max(100);
const byId = z.object({ id });
/** An eval is found by its id: its suite is a part of the address alone. */
const byEval = z.object({ suite: suite.optional(), id });

/** `evals run` and `evals compare` are commands of their own: they wait for an end, and exit by rates. */
export const evalOperations = operations(
  "evals",
  {
    suites: read({
      rest: "GET /evals",
      summary: "List the suites of evals with their last run",
      allow: "read",
      output: z.array(evalSuiteSchema),
      run: ({ services }) => services.evals.suites(),
      cli: {
        words: "list",
        summary: "List the suites with their last run",
        examples: [
          ["toolroom evals list", "as a table"],
          ["toolroom evals list --json", "with everything known, as JSON"],
        ],
        table: {
          columns: {
            SUITE: ({ name }) => name,
            EVALS: ({ evals }) => String(evals),
            "LAST MODEL": ({ lastRun }) => (lastRun === null ? "never" : `${lastRun.provider}/${lastRun.model}`),
            OUTCOME: ({ lastRun }) => (lastRun === null ? "" : `${lastRun.status} ${formatRateInterval(lastRun)}`),
          },
          empty: "No evals. Add one in the console.",
        },
      },
    }),
    deleteSuite: act({
      rest: "DELETE /evals/{suite}",
      summary: "Delete all evals of a suite. Results of its runs are kept",
      allow: "edit",
      input: z.object({ suite: suiteNameSchema }),
      output: z.object({ deleted: z.number().int() }),
      audit: { target: (input) => ({ kind: "eval suite", name: input.suite }), after: (outcome) => outcome },
      run: ({ services, actor }, input) => services.evals.deleteSuite(actor, input.suite),
    }),
    list: read({
      rest: "GET /evals/{suite}/questions",
      summary: "List the evals of a suite, oldest first",
      allow: "read",
      input: z.object({ suite }),
      output: z.array(evalSchema),
      run: ({ services }, input) => services.evals.list(input.suite),
    }),
    create: act({
      rest: "POST /evals/{suite}/questions",
      summary: "Add an eval to a suite, which begins with its first one",
      allow: "edit",
      input: evalInputSchema.strict(),
      output: evalSchema,
      status: 201,
      audit: { target: (input) => ({ kind: "eval", name: input.suite }), after: (made) => made },
      run: ({ services, actor }, input) => services.evals.create(actor, input),
    }),
    get: read({
      rest: "GET /evals/{suite}/questions/{id}",
      summary: "Get an eval",
      allow: "read",
      input: byEval,
      output: evalSchema,
      versioned: true,
      run: ({ services }, input) => services.evals.get(input.id),
    }),
    update: act({
      rest: "PUT /evals/{suite}/questions/{id}",
      summary: "Replace an eval. Another suite in the body moves it there",
      allow: "edit",
      input: byEval.extend({ eval: evalInputSchema, revision }),
      body: "eval",
      output: evalSchema,
      versioned: async ({ evals }, input) => (await evals.get(input.id)).lastEdit,
      audit: { target: (input) => ({ kind: "eval", name: input.eval.suite }), after: (made) => made },
      run: ({ services, actor }, input) => services.evals.update(actor, input.id, input.eval, input.revision),
    }),
    delete: act({
      rest: "DELETE /evals/{suite}/questions/{id}",
      summary: "Delete an eval",
      allow: "edit",
      input: byEval.extend({ revision }),
      versioned: async ({ evals }, input) => (await evals.get(input.id)).lastEdit,
      audit: { target: (input) => ({ kind: "eval", name: input.id }) },
      run: ({ services, actor }, input) => services.evals.delete(actor, input.id, input.revision),
    }),
    candidates: read({
      rest: "GET /eval-candidates",
      summary: "List the newest decisions of models in recorded runs that are no evals yet",
      allow: "read",
      output: z.array(evalCandidateSchema),
      run: ({ services }) => services.evals.candidates(),
    }),
    candidate: read({
      rest: "GET /eval-candidates/{runId}/{step}",
      summary: "Get one decision of a recorded run with the conversation before it",
      allow: "read",
      input: evalOriginSchema,
      output: evalDecisionSchema,
      run: ({ services }, input) => services.evals.candidate(input),
    }),
    dismiss: act({
      rest: "POST /eval-candidates/{runId}/{step}/dismiss",
      summary: "Leave a decision out of the candidates from now on",
      allow: "edit",
      input: evalOriginSchema,
      audit: { target: (input) => ({ kind: "run", name: input.runId }), after: (_, input) => input },
      run: ({ services, actor }, input) => services.evals.dismiss(actor, input),
    }),
    startRun: act({
      rest: "POST /evals/{suite}/runs",
      summary: "Run a suite of evals with a model, in the background",
      allow: "run",
      input: evalRunInputSchema
        .extend({
          suite,
          editing: z
            .string()
            .max(200)
            .nullable()
            .optional()
            .describe("The tool that `definition` replaces; none: a new one"),
          definition: z.string().max(4_000_000).optional(),
        })
        .strict(),
      texts: { definition: toolDefinitionSchema.optional().describe("Offered as if it were saved") },
      output: evalRunSummarySchema,
      status: 201,
      audit: {
        target: ({ provider, model }) => ({ kind: "model", name: `${provider}/${model}` }),
        after: (made, { suite: name, provider, model, rounds, offering, editing, definition }) => ({
          id: made.id,
          suite: name,
          provider,
          model,
          rounds,
          offering,
          edited: definition === undefined ? null : (editing ?? null),
        }),
      },
      run: ({ services, actor }, { editing = null, definition, ...input }) =>
        services.evals.startRun(actor, {
          ...input,
          edit: definition === undefined ? undefined : { editing, definitionText: definition },
        }),
    }),
    runs: read({
      rest: "GET /eval-runs",
      summary: "List runs of evals, newest first",
      allow: "read",
      input: pageQuery.omit({ limit: true }).extend({ suite: z.string().max(100).optional() }),
      output: describePage(evalRunSummarySchema),
      run: async ({ services }, input) => toPage(await services.evals.listRuns(input)),
    }),
    run: read({
      rest: "GET /eval-runs/{id}",
      summary: "Get a run of evals with its attempts",
      allow: "read",
      input: byId,
      output: evalRunDetailSchema,
      run: ({ services }, input) => services.evals.getRun(input.id),
    }),
    compareRuns: read({
      rest: "GET /eval-runs/{id}/compare",
      summary: "Compare a run of evals with an earlier one, and say whether chance explains the difference",
      allow: "read",
      input: byId.extend({ before: id.describe("The id of the earlier run") }),
      output: evalComparisonSchema,
      run: ({ services }, input) => services.evals.compareRuns(input.before, input.id),
    }),
    cancelRun: act({
      rest: "POST /eval-runs/{id}/cancel",
      summary: "Cancel a run of evals",
      allow: "run",
      input: byId,
      output: z.object({ cancelled: z.boolean() }),
      audit: { target: (input) => ({ kind: "eval run", name: input.id }), after: (outcome) => outcome },
      run: ({ services, actor }, input) => services.evals.cancelRun(actor, input.id),
    }),
  },
  {
    summary: "List and run suites of evals: does a model choose the right tool?",
    description: "List and run suites of evals, which ask a model questions and judge which tool it calls first.",
    examples: ["toolroom evals list", "toolroom evals run web-shop --k 5"],
  },
);
