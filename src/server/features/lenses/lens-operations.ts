import { z } from "zod";
import { MAX_LENS_CHARS } from "../../../lib/contract/lens";
import { lensExampleSchema, lensFailuresSchema, lensRowSchema } from "../../../lib/contract/lens-schema";
import { act, operations, read } from "../../platform/api/operation";
import { describePage, pageQuery, toPage } from "../../platform/api/route-inputs";

const name = z.string().min(1).max(200);
const expression = z.string().trim().max(MAX_LENS_CHARS).describe("JMESPath");
const { cursor } = pageQuery.shape;
const unrecorded = "It changes nothing";

/** Previews of the expressions that reduce results. They are sent by POST, since expressions are long. */
export const lensOperations = operations("lenses", {
  preview: act({
    rest: "POST /tools/{name}/lens/preview",
    summary: "Measure what an expression would leave of the stored results of a tool, newest first",
    allow: "read",
    input: z.object({ name, expression, cursor }),
    output: describePage(lensRowSchema),
    audit: { unrecorded },
    run: async ({ services, signal }, input) =>
      toPage(await services.lenses.preview(input.name, input.expression, input.cursor ?? null, signal)),
  }),
  example: act({
    rest: "POST /executions/{executionId}/lens",
    summary: "Show what an expression would leave of one stored result",
    allow: "read",
    input: z.object({ executionId: z.string().max(100), expression }),
    output: lensExampleSchema,
    audit: { unrecorded },
    run: ({ services, signal }, input) => services.lenses.example(input.executionId, input.expression, signal),
  }),
  failures: read({
    rest: "GET /tools/{name}/lens/failures",
    summary: "Count the calls in which lenses of a tool failed, with the latest",
    allow: "read",
    input: z.object({ name }),
    output: lensFailuresSchema,
    run: ({ services }, input) => services.lenses.failures(input.name),
  }),
});
