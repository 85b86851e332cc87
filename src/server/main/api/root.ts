import { accountRouter, tokensRouter } from "./routers/account";
import { approvalsRouter } from "./routers/approvals";
import { appsRouter } from "./routers/apps";
import { auditRouter } from "./routers/audit";
import { contentRouter } from "./routers/content";
import { credentialsRouter } from "./routers/credentials";
import { executionsRouter } from "./routers/executions";
import { interactionsRouter } from "./routers/interactions";
import { lensesRouter } from "./routers/lenses";
import { modelChecksRouter } from "./routers/model-checks";
import { modelsRouter } from "./routers/models";
import { peopleRouter } from "./routers/people";
import { runsRouter } from "./routers/runs";
import { samplingRouter } from "./routers/sampling";
import { serversRouter } from "./routers/servers";
import { sharingRouter } from "./routers/sharing";
import { systemRouter } from "./routers/system";
import { toolsRouter } from "./routers/tools";
import { toolsetsRouter } from "./routers/toolsets";
import { transcriptsRouter } from "./routers/transcripts";
import { router } from "./trpc";

export const appRouter = router({
  tools: toolsRouter,
  toolsets: toolsetsRouter,
  lenses: lensesRouter,
  executions: executionsRouter,
  servers: serversRouter,
  content: contentRouter,
  apps: appsRouter,
  interactions: interactionsRouter,
  sampling: samplingRouter,
  approvals: approvalsRouter,
  runs: runsRouter,
  models: modelsRouter,
  modelChecks: modelChecksRouter,
  transcripts: transcriptsRouter,
  sharing: sharingRouter,
  system: systemRouter,
  people: peopleRouter,
  account: accountRouter,
  tokens: tokensRouter,
  audit: auditRouter,
  credentials: credentialsRouter,
});

export type AppRouter = typeof appRouter;
