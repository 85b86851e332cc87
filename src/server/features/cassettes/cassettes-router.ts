import { z } from "zod";
import { MAX_CASSETTE_CHARS } from "../../../lib/cassette/cassette-file";
import { cassetteInputSchema, cassetteNameSchema, newCassetteSchema } from "../../../lib/contract/cassette";
import { rowNumber } from "../../../lib/contract/row-number";
import { revision } from "../../platform/api/revision-input";
import { procedure, router } from "../../platform/api/trpc";

const name = z.string().max(100);
const choice = newCassetteSchema.pick({ choice: true, tools: true });

export const cassettesRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.cassettes.list()),
  get: procedure.input(z.object({ name })).query(({ ctx, input }) => ctx.services.cassettes.get(input.name)),
  calls: procedure
    .input(z.object({ name, cursor: rowNumber.nullish() }))
    .query(({ ctx, input }) => ctx.services.cassettes.calls(input.name, input.cursor ?? 0)),
  tools: procedure.input(z.object({ name })).query(({ ctx, input }) => ctx.services.cassettes.tools(input.name)),
  sessions: procedure.input(z.object({ name })).query(({ ctx, input }) => ctx.services.cassettes.sessions(input.name)),
  report: procedure
    .input(z.object({ name, session: z.string().max(100) }))
    .query(({ ctx, input }) => ctx.services.cassettes.report(input.name, input.session)),
  export: procedure
    .input(z.object({ name }))
    .query(async ({ ctx, input }) => ({ text: await ctx.services.cassettes.exportFile(input.name) })),
  preview: procedure.input(choice).query(({ ctx, input }) => ctx.services.cassettes.preview(input)),
  create: procedure
    .input(newCassetteSchema)
    .mutation(({ ctx, input }) => ctx.services.cassettes.create(ctx.actor, input)),
  update: procedure
    .input(z.object({ name, cassette: cassetteInputSchema, revision }))
    .mutation(({ ctx, input }) => ctx.services.cassettes.update(ctx.actor, input.name, input.cassette, input.revision)),
  delete: procedure
    .input(z.object({ name, revision }))
    .mutation(({ ctx, input }) => ctx.services.cassettes.delete(ctx.actor, input.name, input.revision)),
  import: procedure
    .input(z.object({ text: z.string().max(MAX_CASSETTE_CHARS + 100_000), name: cassetteNameSchema.optional() }))
    .mutation(({ ctx, input }) => ctx.services.cassettes.import(ctx.actor, input)),
});
