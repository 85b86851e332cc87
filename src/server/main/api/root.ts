import { approvalOperations } from "../../calls/approvals/approval-operations";
import { executionOperations } from "../../calls/executions/execution-operations";
import { interactionOperations } from "../../calls/interactions/interaction-operations";
import { statisticsOperations } from "../../calls/statistics/statistics-operations";
import { accessRulesOperations } from "../../features/accounts/access-rules-operations";
import { accountOperations } from "../../features/accounts/account-operations";
import { peopleOperations } from "../../features/accounts/people-operations";
import { tokenOperations } from "../../features/accounts/token-operations";
import { alertOperations } from "../../features/alerts/alert-operations";
import { appOperations } from "../../features/apps/app-operations";
import { auditOperations } from "../../features/audit/audit-operations";
import { bundleOperations } from "../../features/bundles/bundle-operations";
import { cassetteOperations } from "../../features/cassettes/cassette-operations";
import { changeOperations } from "../../features/changes/change-operations";
import { clientOperations } from "../../features/clients/client-operations";
import { contentOperations } from "../../features/content/content-operations";
import { lensOperations } from "../../features/lenses/lens-operations";
import { modelOperations } from "../../features/models/model-operations";
import { registryOperations } from "../../features/registry/registry-operations";
import { retentionOperations } from "../../features/retention/retention-operations";
import { runOperations } from "../../features/runs/run-operations";
import { samplingOperations } from "../../features/sampling/sampling-operations";
import { credentialOperations } from "../../features/servers/credential-operations";
import { serverOperations } from "../../features/servers/server-operations";
import { sharingOperations } from "../../features/sharing/sharing-operations";
import { evalOperations } from "../../features/suites/suite-eval-operations";
import { testOperations } from "../../features/suites/suite-operations";
import { jobOperations } from "../../features/system/job-operations";
import { storageOperations } from "../../features/system/storage-operations";
import { systemOperations } from "../../features/system/system-operations";
import { toolOperations } from "../../features/tools/tool-operations";
import { toolsetOperations } from "../../features/toolsets/toolset-operations";
import { transcriptOperations } from "../../features/transcripts/transcript-operations";
import { viewOperations } from "../../features/views/view-operations";
import { webhookOperations } from "../../features/webhooks/webhook-operations";
import { router, toRouter } from "../../platform/api/trpc";

export const appRouter = router({
  tools: toRouter(toolOperations),
  toolsets: toRouter(toolsetOperations),
  lenses: toRouter(lensOperations),
  executions: toRouter(executionOperations),
  statistics: toRouter(statisticsOperations),
  cassettes: toRouter(cassetteOperations),
  servers: toRouter(serverOperations),
  changes: toRouter(changeOperations),
  content: toRouter(contentOperations),
  apps: toRouter(appOperations),
  interactions: toRouter(interactionOperations),
  sampling: toRouter(samplingOperations),
  runs: toRouter(runOperations),
  sharing: toRouter(sharingOperations),
  transcripts: toRouter(transcriptOperations),
  tests: toRouter(testOperations),
  evals: toRouter(evalOperations),
  models: toRouter(modelOperations),
  approvals: toRouter(approvalOperations),
  bundles: toRouter(bundleOperations),
  system: toRouter(systemOperations),
  people: toRouter(peopleOperations),
  account: toRouter(accountOperations),
  tokens: toRouter(tokenOperations),
  accessRules: toRouter(accessRulesOperations),
  audit: toRouter(auditOperations),
  retention: toRouter(retentionOperations),
  storage: toRouter(storageOperations),
  jobs: toRouter(jobOperations),
  webhooks: toRouter(webhookOperations),
  alerts: toRouter(alertOperations),
  views: toRouter(viewOperations),
  clients: toRouter(clientOperations),
  registry: toRouter(registryOperations),
  credentials: toRouter(credentialOperations),
});

export type AppRouter = typeof appRouter;
