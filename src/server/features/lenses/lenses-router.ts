import { z } from "zod";
import { MAX_LENS_CHARS } from "../../../lib/contract/lens";
import { rowNumber } from "../../../lib/contract/row-number";
import { procedure, router } from "../../platform/api/trpc";

const name = z.string().min(1).max(200);
const expression = z.string().trim().max(MAX_LENS_CHARS);

export const lensesRouter = router({
  // Queries that carry long texts are sent by POST: a mutation in tRPC's words, although nothing changes.
  preview: procedure
    .input(z.object({ name, expression, cursor: rowNumber.nullable() }))
    .mutation(({ ctx, input, signal }) =>
      ctx.services.lenses.preview(input.name, input.expression, input.cursor, signal),
    ),
  example: procedure
    .input(z.object({ executionId: z.string().max(100), expression }))
    .mutation(({ ctx, input, signal }) => ctx.services.lenses.example(input.executionId, input.expression, signal)),
  failures: procedure.input(z.object({ name })).query(({ ctx, input }) => ctx.services.lenses.failures(input.name)),
});
