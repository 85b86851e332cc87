import { z } from "zod";
import { toolsetInputSchema } from "../../../lib/contract/toolset";
import { revision } from "../../platform/api/revision-input";
import { procedure, router } from "../../platform/api/trpc";

const name = z.string().max(100);

export const toolsetsRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.toolsets.list()),
  get: procedure.input(z.object({ name })).query(({ ctx, input }) => ctx.services.toolsets.get(input.name)),
  /** A mutation, since the draft is longer than an address may be. */
  preview: procedure.input(toolsetInputSchema).mutation(({ ctx, input }) => ctx.services.toolsets.preview(input)),
  create: procedure
    .input(toolsetInputSchema)
    .mutation(({ ctx, input }) => ctx.services.toolsets.create(ctx.actor, input)),
  update: procedure
    .input(z.object({ name, toolset: toolsetInputSchema, revision }))
    .mutation(({ ctx, input }) => ctx.services.toolsets.update(ctx.actor, input.name, input.toolset, input.revision)),
  delete: procedure
    .input(z.object({ name, revision }))
    .mutation(({ ctx, input }) => ctx.services.toolsets.delete(ctx.actor, input.name, input.revision)),
});
