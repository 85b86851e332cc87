import { z } from "zod";
import { rowNumber } from "../../../lib/contract/row-number";
import {
  appContextSchema,
  type RunEventPart,
  runDetailSchema,
  runDifferencesSchema,
  runEventPageSchema,
  runFilterSchema,
  runSettingsSchema,
  runSummarySchema,
  runTextSliceSchema,
  toolSelectionSchema,
} from "../../../lib/contract/run";
import { act, operations, read, restOnly } from "../../platform/api/operation";
import { describePage, pageQuery, toPage } from "../../platform/api/route-inputs";
import { compareStoredRuns } from "./compare-stored-runs";
import { streamRunEvents } from "./run-event-stream";
import { describeDifferences, explainDifference } from "./run-output";

const id = z.string().min(1).max(100);
const byId = z.object({ id });
const text = z.string().trim().min(1, "must not be empty").max(1_000_000);
const step = rowNumber.min(1);
const offset = rowNumber.default(0).describe("Characters of the text before the part that is returned");
const idOnly = z.object({ id: z.string() });

const { status, source, provider, model, q } = runFilterSchema.shape;
const listQuery = pageQuery.extend({ status, source, provider, model, q });

const ofRun = (input: { id: string }) => ({ kind: "run", name: input.id });

/** Runs of models. Their messages and settings are in their logs, so that audit entries have none. */
export const runOperations = operations(
  "runs",
  {
    list: read({
      rest: "GET /runs",
      summary: "List runs, newest first",
      allow: "read",
      input: z.object({
        filter: runFilterSchema.default({}),
        cursor: pageQuery.shape.cursor,
        limit: z.number().int().min(1).max(200).default(50),
      }),
      sentAs: {
        query: listQuery,
        toInput: (_, { cursor, limit, ...filter }: z.output<typeof listQuery>) => ({ filter, cursor, limit }),
      },
      output: describePage(runSummarySchema),
      run: async ({ services }, input) => toPage(await services.runs.list(input.filter, input.cursor, input.limit)),
    }),
    start: act({
      rest: "POST /runs",
      summary: "Start a run",
      allow: "run",
      input: z.strictObject({ text, settings: runSettingsSchema }),
      output: idOnly,
      status: 201,
      idempotent: "run",
      findRepeated: async ({ runs }, run) => ((await runs.has(run)) ? { id: run } : undefined),
      audit: { target: (_, made) => (made === undefined ? null : ofRun(made)) },
      run: ({ services, actor, sent }, input) => services.runs.start(actor, { ...input, id: sent?.idempotency?.id }),
    }),
    // The first route that fits a path is taken: before `get`.
    examples: read({
      rest: "POST /runs/examples",
      summary: "Suggest first messages that call the tools of a selection",
      allow: "read",
      input: z.strictObject({ tools: toolSelectionSchema }),
      output: z.object({ items: z.array(z.string()) }),
      run: ({ services }, input) => services.runs.examples(input.tools),
    }),
    get: read({
      rest: "GET /runs/{id}",
      summary: "Get a run with its newest events",
      allow: "read",
      input: byId,
      output: runDetailSchema,
      run: ({ services }, input) => services.runs.get(input.id),
    }),
    followEvents: restOnly(
      "It is a stream: pages follow the live events of all runs",
      read({
        rest: "GET /runs/{id}/events",
        summary: "The events of a run as server-sent events, until the run ends. Resumes after `Last-Event-ID`",
        allow: "read",
        input: byId,
        output: z.string(),
        contentType: "text/event-stream",
        run({ services, stopping, sent }, input) {
          if (sent === null) throw new Error("A stream answers REST requests only");
          return streamRunEvents(services.runs, input.id, sent.request, { stopping, watch: sent.watch });
        },
      }),
    ),
    events: read({
      rest: "GET /runs/{id}/log",
      summary: "Get the events of a run before an index, at most 200 of them in their order, with long texts shortened",
      allow: "read",
      input: byId.extend({ before: rowNumber.describe("The index of the oldest event that is known") }),
      output: runEventPageSchema,
      run: ({ services }, input) => services.runs.events(input.id, input.before),
    }),
    payload: read({
      rest: "GET /runs/{id}/log/{index}/{part}",
      summary: "Get a long text of an event, piece by piece: `cut` of the event names its parts",
      allow: "read",
      input: byId.extend({
        index: rowNumber,
        part: z.custom<RunEventPart>((part) => typeof part === "string"),
        offset,
      }),
      output: runTextSliceSchema,
      run: ({ services }, input) => services.runs.payload(input.id, input.index, input.part, input.offset),
    }),
    messages: read({
      rest: "GET /runs/{id}/steps/{step}/messages",
      summary: "Get the messages that a step sent to the model, as JSON text, piece by piece",
      allow: "read",
      input: byId.extend({ step, offset }),
      output: runTextSliceSchema,
      run: ({ services }, input) => services.runs.messages(input.id, input.step, input.offset),
    }),
    compare: read({
      rest: "GET /runs/{id}/compare",
      summary: "Compare a run with another one by aligned steps, and list what differs",
      allow: "read",
      input: byId.extend({ before: id.describe("The id of the run to compare with") }),
      output: runDifferencesSchema,
      run: ({ services }, input) => compareStoredRuns(services.runs, input.before, input.id),
      cli: {
        words: "compare <before> <after>",
        fields: { after: "id" },
        summary: "Compare two runs by aligned steps, and exit with 1 where a call differs",
        details: "Responses may differ without that. A run that has not succeeded exits with 1 too.",
        examples: [
          ["toolroom runs compare run_7hJ2kQ9w run_9kL3mR1x", "what differs, step by step"],
          ["toolroom runs compare run_7hJ2kQ9w run_9kL3mR1x --json", "the same as JSON"],
        ],
        print: describeDifferences,
        fail: explainDifference,
      },
    }),
    send: act({
      rest: "POST /runs/{id}/messages",
      summary: "Send another message to a run that has ended its turn",
      allow: "run",
      input: z.strictObject({
        id,
        text,
        appContext: appContextSchema.optional().describe("What Apps told the model, with this message"),
        settings: runSettingsSchema.optional().describe("For the run from now on; default: as before"),
      }),
      output: idOnly,
      audit: { target: ofRun },
      run: ({ services, actor }, input) =>
        services.runs.send(actor, input.id, input.text, input.settings, input.appContext),
    }),
    stop: act({
      rest: "POST /runs/{id}/stop",
      summary: "Stop a run: its calls are cancelled",
      allow: "run",
      input: byId,
      output: z.object({ stopped: z.boolean().describe("False for a run that had ended already") }),
      audit: { target: ofRun, after: (outcome) => outcome },
      run: ({ services, actor }, input) => services.runs.stop(actor, input.id),
    }),
    resume: act({
      rest: "POST /runs/{id}/resume",
      summary: "Resume a run whose turn was interrupted, stopped or failed",
      allow: "run",
      input: byId,
      output: idOnly,
      audit: { target: ofRun },
      run: ({ services, actor }, input) => services.runs.resume(actor, input.id),
    }),
    rerun: act({
      rest: "POST /runs/{id}/rerun",
      summary: "Start a run from a step of another one, with its results as they were recorded or with new calls",
      allow: "run",
      input: z.strictObject({
        id,
        fromStep: step.describe("The request to the model that is repeated"),
        results: z.enum(["live", "recorded"]),
        settings: runSettingsSchema.optional().describe("Default: those of the run"),
        text: text.optional().describe("In place of the message that the step answers"),
      }),
      output: idOnly,
      status: 201,
      audit: {
        target: (input, made) => ofRun(made ?? input),
        after: (_, { id: rerunOf, fromStep, results }) => ({ rerunOf, fromStep, results }),
      },
      run: ({ services, actor }, input) => services.runs.rerun(actor, input),
    }),
  },
  {
    summary: "Compare two runs of a model with tools",
    examples: [
      "toolroom runs compare run_7hJ2kQ9w run_9kL3mR1x",
      "toolroom runs compare run_7hJ2kQ9w run_9kL3mR1x --json",
    ],
  },
);
