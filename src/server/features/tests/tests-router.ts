import { z } from "zod";
import { rowNumber } from "../../../lib/contract/row-number";
import { replayChoiceSchema, suiteInputSchema, suiteTestSchema } from "../../../lib/contract/test-suite";
import { revision } from "../../platform/api/revision-input";
import { executionIdSchema } from "../../platform/api/route-inputs";
import { procedure, router } from "../../platform/api/trpc";

const name = z.string().min(1).max(100);
const id = z.string().min(1).max(100);
const asksForApproval = z.boolean().optional();

export const testsRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.tests.list()),
  get: procedure.input(z.object({ name })).query(({ ctx, input }) => ctx.services.tests.get(input.name)),
  create: procedure.input(suiteInputSchema).mutation(({ ctx, input }) => ctx.services.tests.create(ctx.actor, input)),
  update: procedure
    .input(z.object({ name, suite: suiteInputSchema, revision }))
    .mutation(({ ctx, input }) => ctx.services.tests.update(ctx.actor, input.name, input.suite, input.revision)),
  delete: procedure
    .input(z.object({ name, revision }))
    .mutation(({ ctx, input }) => ctx.services.tests.delete(ctx.actor, input.name, input.revision)),
  propose: procedure
    .input(z.object({ executionId: executionIdSchema }))
    .query(({ ctx, input }) => ctx.services.tests.propose(ctx.actor, input.executionId)),
  addTest: procedure
    .input(z.object({ suite: suiteInputSchema.shape.name, test: suiteTestSchema }))
    .mutation(({ ctx, input }) => ctx.services.tests.addTest(ctx.actor, input.suite, input.test)),
  import: procedure
    .input(z.object({ suites: z.array(suiteInputSchema).min(1).max(200) }))
    .mutation(({ ctx, input }) => ctx.services.tests.import(ctx.actor, input.suites)),
  export: procedure
    .input(z.object({ names: z.array(name).max(200).optional() }))
    .query(({ ctx, input }) => ctx.services.tests.export(input.names)),
  run: procedure
    .input(z.object({ name, asksForApproval }))
    .mutation(({ ctx, input }) =>
      ctx.services.tests.run(ctx.actor, input.name, { asksForApproval: input.asksForApproval }),
    ),
  runs: procedure
    .input(z.object({ suite: name.optional(), cursor: rowNumber.nullish() }))
    .query(({ ctx, input }) => ctx.services.tests.runs({ suite: input.suite, cursor: input.cursor ?? undefined })),
  getRun: procedure.input(z.object({ id })).query(({ ctx, input }) => ctx.services.tests.getRun(input.id)),
  cancelRun: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.tests.cancelRun(ctx.actor, input.id)),
  /** A mutation, since the ids are longer than an address may be. */
  previewReplay: procedure
    .input(replayChoiceSchema)
    .mutation(({ ctx, input }) => ctx.services.tests.previewReplay(ctx.actor, input)),
  startReplay: procedure
    .input(replayChoiceSchema.extend({ asksForApproval }))
    .mutation(({ ctx, input: { asksForApproval: asks, ...choice } }) =>
      ctx.services.tests.startReplay(ctx.actor, choice, { reader: ctx.actor, asksForApproval: asks }),
    ),
});
