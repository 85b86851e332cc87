import { executionsRouter } from "./routers/executions";
import { interactionsRouter } from "./routers/interactions";
import { liveRouter } from "./routers/live";
import { serversRouter } from "./routers/servers";
import { systemRouter } from "./routers/system";
import { toolsRouter } from "./routers/tools";
import { router } from "./trpc";

export const appRouter = router({
  tools: toolsRouter,
  executions: executionsRouter,
  servers: serversRouter,
  interactions: interactionsRouter,
  system: systemRouter,
  live: liveRouter,
});

export type AppRouter = typeof appRouter;
