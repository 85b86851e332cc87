import { z } from "zod";
import {
  replayChoiceSchema,
  replayPreviewSchema,
  suiteFileSchema,
  suiteInputSchema,
  suiteSchema,
  suiteSummarySchema,
  testRunDetailSchema,
  testRunSchema,
} from "../../../lib/contract/test-suite";
import { defineRoute } from "../../platform/api/route";
import { describePage, pageQuery, toPage, waitSchema } from "../../platform/api/route-inputs";

const SUITE = "/suites/{name}";
const RUN = "/test-runs/{id}";
const asksForApproval = z
  .boolean()
  .optional()
  .describe(
    "Calls of tools that need approval ask for it; default: as the suite says, and of a replay they are left out",
  );
const waitMs = waitSchema.describe("Milliseconds that the response may wait for the end; default 0");

const listSuites = defineRoute({
  method: "GET",
  path: "/suites",
  permission: "read",
  response: z.object({ items: z.array(suiteSummarySchema) }),
  summary: "List the test suites by name, each with its last run",
  answer: async ({ services }) => ({ items: await services.tests.list() }),
});

const createSuite = defineRoute({
  method: "POST",
  path: "/suites",
  permission: "edit",
  status: 201,
  body: suiteInputSchema,
  response: suiteSchema,
  summary: "Create a suite",
  versioned: true,
  answer: ({ services, actor }, { body }) => services.tests.create(actor, body),
});

const exportSuites = defineRoute({
  method: "GET",
  path: "/suites/export",
  permission: "read",
  summary: "Export suites as a file for git: the same suites give the same bytes",
  query: z.object({ name: z.array(z.string().max(100)).max(200).optional().describe("Only these; default: all") }),
  response: suiteFileSchema,
  async answer({ services }, { query }) {
    const suites = await services.tests.export(query.name);
    const text = `${JSON.stringify({ toolroomSuites: 1, suites }, null, 2)}\n`;
    return new Response(text, { headers: { "content-type": "application/json", "cache-control": "no-store" } });
  },
});

const importSuites = defineRoute({
  method: "POST",
  path: "/suites/import",
  permission: "edit",
  body: suiteFileSchema,
  summary: "Import a file of suites: new ones are created, those that differ are replaced",
  response: z.object({
    created: z.array(z.string()),
    replaced: z.array(z.string()),
    same: z.array(z.string()),
  }),
  answer: ({ services, actor }, { body }) => services.tests.import(actor, body.suites),
});

const getSuite = defineRoute({
  method: "GET",
  path: SUITE,
  permission: "read",
  response: suiteSchema,
  versioned: true,
  summary: "Get a suite with its tests",
  answer: ({ services }, { param }) => services.tests.get(param("name")),
});

const updateSuite = defineRoute({
  method: "PUT",
  path: SUITE,
  permission: "edit",
  body: suiteInputSchema,
  response: suiteSchema,
  versioned: true,
  summary: "Replace a suite",
  async answer({ services: { tests }, actor }, { param, body, matchEdit }) {
    const name = param("name");
    return await tests.update(actor, name, body, matchEdit((await tests.get(name)).lastEdit));
  },
});

const deleteSuite = defineRoute({
  method: "DELETE",
  path: SUITE,
  permission: "edit",
  versioned: true,
  summary: "Delete a suite with its runs",
  async answer({ services: { tests }, actor }, { param, matchEdit }) {
    const name = param("name");
    await tests.delete(actor, name, matchEdit((await tests.get(name)).lastEdit));
    return undefined;
  },
});

const runSuite = defineRoute({
  method: "POST",
  path: `${SUITE}/run`,
  permission: "run",
  response: testRunDetailSchema,
  summary: "Run a suite. A run that is still running after `waitMs` is returned as it is",
  body: z.strictObject({ asksForApproval, waitMs }),
  async answer({ services: { tests }, actor }, { param, body }) {
    const options = { asksForApproval: body.asksForApproval, trigger: "api" } as const;
    const { id } = await tests.run(actor, param("name"), options);
    return await tests.awaitRun(id, body.waitMs ?? 0);
  },
});

const listRuns = defineRoute({
  method: "GET",
  path: "/test-runs",
  permission: "read",
  response: describePage(testRunSchema),
  summary: "List runs of suites and replays, newest first, 30 a page",
  query: pageQuery.omit({ limit: true }).extend({ suite: z.string().max(100).optional() }),
  answer: async ({ services }, { query }) => toPage(await services.tests.runs(query)),
});

const runFile = defineRoute({
  method: "POST",
  path: "/test-runs",
  permission: "run",
  response: testRunDetailSchema,
  status: 201,
  summary: "Run a suite that is not saved, as a file has it",
  body: z.strictObject({ suite: suiteInputSchema, asksForApproval, waitMs }),
  async answer({ services: { tests }, actor }, { body }) {
    const options = { asksForApproval: body.asksForApproval, trigger: "api" } as const;
    const { id } = await tests.runInput(actor, body.suite, options);
    return await tests.awaitRun(id, body.waitMs ?? 0);
  },
});

const previewReplays = defineRoute({
  method: "POST",
  path: "/test-runs/replay/preview",
  permission: "read",
  body: replayChoiceSchema.strict(),
  summary: "Count the calls that a replay would make, by tool, and which need approval",
  response: replayPreviewSchema,
  answer: ({ services, actor }, { body }) => services.tests.previewReplay(actor, body),
});

const startReplay = defineRoute({
  method: "POST",
  path: "/test-runs/replay",
  permission: "run",
  response: testRunDetailSchema,
  status: 201,
  summary: "Call the current tools with the arguments of recorded calls, at most 500 of the newest, and compare",
  body: replayChoiceSchema.extend({ asksForApproval, waitMs }).strict(),
  async answer({ services: { tests }, actor }, { body: { asksForApproval: asks, waitMs: wait, ...choice } }) {
    const { id } = await tests.startReplay(actor, choice, { reader: actor, asksForApproval: asks, trigger: "api" });
    return await tests.awaitRun(id, wait ?? 0);
  },
});

const getRun = defineRoute({
  method: "GET",
  path: RUN,
  permission: "read",
  response: testRunDetailSchema,
  summary: "Get a run with the result of each call",
  query: z.object({
    waitMs: z
      .string()
      .regex(/^\d{1,5}$/, "must be an integer from 0 to 60000")
      .transform((text) => Math.min(60_000, Number(text)))
      .optional()
      .describe("Milliseconds that the response may wait for the end; default 0"),
  }),
  answer: ({ services: { tests } }, { param, query }) => tests.awaitRun(param("id"), query.waitMs ?? 0),
});

const cancelRun = defineRoute({
  method: "POST",
  path: `${RUN}/cancel`,
  permission: "run",
  summary: "Cancel a run: its calls that run are cancelled, the others are not made",
  response: z.object({ cancelled: z.boolean().describe("False for a run that had ended already") }),
  answer: ({ services, actor }, { param }) => services.tests.cancelRun(actor, param("id")),
});

export const TEST_ROUTES = [
  // The first route that fits a path is taken.
  listSuites,
  createSuite,
  exportSuites,
  importSuites,
  getSuite,
  updateSuite,
  deleteSuite,
  runSuite,
  listRuns,
  runFile,
  previewReplays,
  startReplay,
  getRun,
  cancelRun,
];
