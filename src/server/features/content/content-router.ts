import { z } from "zod";
import { procedure, router } from "../../platform/api/trpc";

const name = z.string().min(1).max(200);

/** Resources and prompts of MCP servers. */
export const contentRouter = router({
  resources: procedure
    .input(z.object({ name }))
    .query(({ ctx, input }) => ctx.services.content.resources(ctx.actor, input.name)),
  prompts: procedure
    .input(z.object({ name }))
    .query(({ ctx, input }) => ctx.services.content.prompts(ctx.actor, input.name)),
  readResource: procedure
    .input(z.object({ name, uri: z.string().min(1).max(8192) }))
    .mutation(({ ctx, input }) => ctx.services.content.readResource(ctx.actor, input.name, input.uri)),
  getPrompt: procedure
    .input(z.object({ name, prompt: z.string().max(1000), args: z.record(z.string(), z.string()) }))
    .mutation(({ ctx, input }) => ctx.services.content.getPrompt(ctx.actor, input.name, input.prompt, input.args)),
});
