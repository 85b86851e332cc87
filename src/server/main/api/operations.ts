import { approvalOperations } from "../../calls/approvals/approval-operations";
import { executionOperations } from "../../calls/executions/execution-operations";
import { interactionOperations } from "../../calls/interactions/interaction-operations";
import { spendOperations } from "../../calls/spend/spend-operations";
import { statisticsOperations } from "../../calls/statistics/statistics-operations";
import { accessRulesOperations } from "../../features/accounts/access-rules-operations";
import { accountOperations } from "../../features/accounts/account-operations";
import { peopleOperations } from "../../features/accounts/people-operations";
import { serviceAccountOperations } from "../../features/accounts/service-account-operations";
import { tokenOperations } from "../../features/accounts/token-operations";
import { agentOperations } from "../../features/agent-tools/agent-operations";
import { alertOperations } from "../../features/alerts/alert-operations";
import { appOperations } from "../../features/apps/app-operations";
import { auditOperations } from "../../features/audit/audit-operations";
import { bundleOperations } from "../../features/bundles/bundle-operations";
import { cassetteOperations } from "../../features/cassettes/cassette-operations";
import { changeOperations } from "../../features/changes/change-operations";
import { clientOperations } from "../../features/clients/client-operations";
import { conformanceOperations } from "../../features/conformance/conformance-operations";
import { contentOperations } from "../../features/content/content-operations";
import { skillOperations } from "../../features/content/skill-operations";
import { lensOperations } from "../../features/lenses/lens-operations";
import { modelOperations } from "../../features/models/model-operations";
import { provisioningOperations } from "../../features/provisioning/provisioning-operations";
import { registryOperations } from "../../features/registry/registry-operations";
import { retentionOperations } from "../../features/retention/retention-operations";
import { ruleCaseOperations } from "../../features/rules/rule-case-operations";
import { ruleOperations } from "../../features/rules/rule-operations";
import { runOperations } from "../../features/runs/run-operations";
import { samplingOperations } from "../../features/sampling/sampling-operations";
import { credentialOperations } from "../../features/servers/credential-operations";
import { serverOperations } from "../../features/servers/server-operations";
import { sharingOperations } from "../../features/sharing/sharing-operations";
import { ownSkillOperations } from "../../features/skills/own-skill-operations";
import { suiteOperations } from "../../features/suites/suite-operations";
import { jobOperations } from "../../features/system/job-operations";
import { storageOperations } from "../../features/system/storage-operations";
import { systemOperations } from "../../features/system/system-operations";
import { toolOperations } from "../../features/tools/tool-operations";
import { toolsetOperations } from "../../features/toolsets/toolset-operations";
import { transcriptOperations } from "../../features/transcripts/transcript-operations";
import { viewOperations } from "../../features/views/view-operations";
import { webhookOperations } from "../../features/webhooks/webhook-operations";
import type { AnyOperation, Operations } from "../../platform/api/operation";

/** The operations of every noun, in the order of the document. Procedures, routes and commands follow from this list. */
const NOUNS = [
  toolOperations,
  toolsetOperations,
  lensOperations,
  contentOperations,
  ownSkillOperations,
  skillOperations,
  appOperations,
  transcriptOperations,
  executionOperations,
  approvalOperations,
  ruleOperations,
  ruleCaseOperations,
  interactionOperations,
  samplingOperations,
  statisticsOperations,
  spendOperations,
  webhookOperations,
  viewOperations,
  alertOperations,
  cassetteOperations,
  jobOperations,
  retentionOperations,
  storageOperations,
  accessRulesOperations,
  bundleOperations,
  clientOperations,
  agentOperations,
  registryOperations,
  credentialOperations,
  changeOperations,
  conformanceOperations,
  sharingOperations,
  serverOperations,
  suiteOperations,
  runOperations,
  systemOperations,
  auditOperations,
  modelOperations,
  tokenOperations,
  accountOperations,
  peopleOperations,
  serviceAccountOperations,
  provisioningOperations,
] as const satisfies readonly Operations[];

/** The union of their types. */
export type NounOperations = (typeof NOUNS)[number];
export const OPERATIONS: readonly Operations[] = NOUNS;

/** All of them with the name of their audit entry, which is the path of their procedure. */
export function listOperations(): { action: string; operation: AnyOperation }[] {
  return OPERATIONS.flatMap(({ noun, each }) =>
    Object.entries(each).map(([name, operation]) => ({ action: `${noun}.${name}`, operation })),
  );
}
