import { executionsRouter } from "./routers/executions";
import { liveRouter } from "./routers/live";
import { systemRouter } from "./routers/system";
import { toolsRouter } from "./routers/tools";
import { router } from "./trpc";

export const appRouter = router({
  tools: toolsRouter,
  executions: executionsRouter,
  system: systemRouter,
  live: liveRouter,
});

export type AppRouter = typeof appRouter;
