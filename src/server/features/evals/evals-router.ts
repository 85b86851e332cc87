import { z } from "zod";
import { evalInputSchema, evalOriginSchema, evalRunInputSchema, suiteNameSchema } from "../../../lib/contract/eval";
import { rowNumber } from "../../../lib/contract/row-number";
import { revision } from "../../platform/api/revision-input";
import { procedure, router } from "../../platform/api/trpc";

const id = z.string().min(1).max(100);
const suite = z.string().min(1).max(100);
/** Definitions travel as the text that was typed. */
const edit = z.object({ editing: z.string().max(200).nullable(), definitionText: z.string().max(4_000_000) });

export const evalsRouter = router({
  suites: procedure.query(({ ctx }) => ctx.services.evals.suites()),
  list: procedure.input(z.object({ suite })).query(({ ctx, input }) => ctx.services.evals.list(input.suite)),
  get: procedure.input(z.object({ id })).query(({ ctx, input }) => ctx.services.evals.get(input.id)),
  create: procedure.input(evalInputSchema).mutation(({ ctx, input }) => ctx.services.evals.create(ctx.actor, input)),
  update: procedure
    .input(z.object({ id, eval: evalInputSchema, revision }))
    .mutation(({ ctx, input }) => ctx.services.evals.update(ctx.actor, input.id, input.eval, input.revision)),
  delete: procedure
    .input(z.object({ id, revision }))
    .mutation(({ ctx, input }) => ctx.services.evals.delete(ctx.actor, input.id, input.revision)),
  deleteSuite: procedure
    .input(z.object({ suite: suiteNameSchema }))
    .mutation(({ ctx, input }) => ctx.services.evals.deleteSuite(ctx.actor, input.suite)),
  candidates: procedure.query(({ ctx }) => ctx.services.evals.candidates()),
  candidate: procedure.input(evalOriginSchema).query(({ ctx, input }) => ctx.services.evals.candidate(input)),
  dismiss: procedure.input(evalOriginSchema).mutation(({ ctx, input }) => ctx.services.evals.dismiss(ctx.actor, input)),
  runs: procedure
    .input(z.object({ suite: suite.optional(), cursor: rowNumber.nullish() }))
    .query(({ ctx, input }) => ctx.services.evals.listRuns({ ...input, cursor: input.cursor ?? undefined })),
  run: procedure.input(z.object({ id })).query(({ ctx, input }) => ctx.services.evals.getRun(input.id)),
  startRun: procedure
    .input(evalRunInputSchema.extend({ suite, edit: edit.optional() }))
    .mutation(({ ctx, input }) => ctx.services.evals.startRun(ctx.actor, input)),
  cancelRun: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.evals.cancelRun(ctx.actor, input.id)),
});
