import { z } from "zod";
import { compareEvalRuns } from "../../../lib/compare-eval-runs";
import {
  evalComparisonSchema,
  evalInputSchema,
  evalRunDetailSchema,
  evalRunInputSchema,
  evalRunSummarySchema,
  evalSchema,
  evalSuiteSchema,
} from "../../../lib/contract/eval";
import { problemsOfIssues } from "../../../lib/contract/problem";
import { defineRoute } from "../../platform/api/route";
import { describePage, pageQuery, toPage } from "../../platform/api/route-inputs";
import { invalidInput } from "../../platform/shared/app-error";

const SUITE = "/evals/{suite}";
const EVAL = "/evals/{suite}/questions/{id}";
const RUN = "/eval-runs/{id}";
const body = evalInputSchema.omit({ suite: true }).strict();
const items = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item) });

const listSuites = defineRoute({
  method: "GET",
  path: "/evals",
  permission: "read",
  response: items(evalSuiteSchema),
  summary: "List the suites of evals with their last run",
  answer: async ({ services }) => ({ items: await services.evals.suites() }),
});

const listEvals = defineRoute({
  method: "GET",
  path: `${SUITE}/questions`,
  permission: "read",
  response: items(evalSchema),
  summary: "List the evals of a suite, oldest first",
  answer: async ({ services }, { param }) => ({ items: await services.evals.list(param("suite")) }),
});

const createEval = defineRoute({
  method: "POST",
  path: `${SUITE}/questions`,
  permission: "edit",
  status: 201,
  body,
  response: evalSchema,
  summary: "Add an eval to a suite, which begins with its first one",
  answer({ services, actor }, { param, body: input }) {
    const read = evalInputSchema.safeParse({ ...input, suite: param("suite") });
    if (!read.success) throw invalidInput("", problemsOfIssues(read.error.issues));
    return services.evals.create(actor, read.data);
  },
});

const deleteEval = defineRoute({
  method: "DELETE",
  path: EVAL,
  permission: "edit",
  summary: "Delete an eval",
  async answer({ services, actor }, { param }) {
    await services.evals.delete(actor, param("id"));
    return undefined;
  },
});

const startRun = defineRoute({
  method: "POST",
  path: `${SUITE}/runs`,
  permission: "run",
  status: 201,
  body: evalRunInputSchema.strict(),
  response: evalRunSummarySchema,
  summary: "Run a suite of evals with a model, in the background",
  answer: ({ services, actor }, { param, body: input }) =>
    services.evals.startRun(actor, { ...input, suite: param("suite") }),
});

const listRuns = defineRoute({
  method: "GET",
  path: "/eval-runs",
  permission: "read",
  response: describePage(evalRunSummarySchema),
  summary: "List runs of evals, newest first",
  query: pageQuery.omit({ limit: true }).extend({ suite: z.string().max(100).optional() }),
  answer: async ({ services }, { query: { suite, cursor } }) =>
    toPage(await services.evals.listRuns({ suite, cursor })),
});

const getRun = defineRoute({
  method: "GET",
  path: RUN,
  permission: "read",
  response: evalRunDetailSchema,
  summary: "Get a run of evals with its attempts",
  answer: ({ services }, { param }) => services.evals.getRun(param("id")),
});

const compareRuns = defineRoute({
  method: "GET",
  path: `${RUN}/compare`,
  permission: "read",
  response: evalComparisonSchema,
  summary: "Compare a run of evals with an earlier one, and say whether chance explains the difference",
  query: z.object({ before: z.string().min(1).max(100).describe("The id of the earlier run") }),
  async answer({ services }, { param, query: { before } }) {
    return compareEvalRuns(await services.evals.getRun(before), await services.evals.getRun(param("id")));
  },
});

const cancelRun = defineRoute({
  method: "POST",
  path: `${RUN}/cancel`,
  permission: "run",
  response: z.object({ cancelled: z.boolean() }),
  summary: "Cancel a run of evals",
  answer: ({ services, actor }, { param }) => services.evals.cancelRun(actor, param("id")),
});

export const EVAL_ROUTES = [
  listSuites,
  listEvals,
  createEval,
  deleteEval,
  startRun,
  listRuns,
  getRun,
  compareRuns,
  cancelRun,
];
