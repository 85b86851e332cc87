import { z } from "zod";
import { APP_REQUESTS } from "../../../lib/contract/app";
import { executionIdSchema } from "../../platform/api/route-inputs";
import { procedure, router } from "../../platform/api/trpc";

const executionId = executionIdSchema;

/** MCP Apps that the console shows, and what they ask of their servers. */
export const appsRouter = router({
  open: procedure
    .input(z.object({ executionId, fresh: z.boolean().optional() }))
    .mutation(({ ctx, input }) => ctx.services.apps.open(ctx.actor, input)),
  callTool: procedure
    .input(
      z.object({
        executionId,
        tool: z.string().min(1).max(200),
        argumentsText: z.string().max(1_000_000),
        callExecutionId: executionId,
      }),
    )
    .mutation(({ ctx, input }) => ctx.services.apps.callTool(ctx.actor, input)),
  request: procedure
    .input(z.object({ executionId, method: z.enum(APP_REQUESTS), uri: z.string().min(1).max(8192).optional() }))
    .mutation(({ ctx, input }) => ctx.services.apps.request(ctx.actor, input)),
});
