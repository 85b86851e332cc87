import type { ServiceRules } from "../platform/shared/method-rules";
import type { Services } from "./create-services";

/** Services whose operations say what they take and record, so that they have no rows. Their types cannot be asked: they name all services. */
export const DECLARED = [
  "accessRules",
  "account",
  "alerts",
  "apps",
  "auditLog",
  "approvals",
  "bundles",
  "cassettes",
  "changes",
  "clients",
  "credentials",
  "content",
  "evals",
  "executions",
  "interactions",
  "jobs",
  "registry",
  "lenses",
  "models",
  "people",
  "retention",
  "servers",
  "sharing",
  "runs",
  "sampling",
  "statistics",
  "storage",
  "tools",
  "toolsets",
  "transcripts",
  "tests",
  "system",
  "tokens",
  "views",
  "webhooks",
] as const;
export type GuardedRules = Omit<ServiceRules<Services>, (typeof DECLARED)[number]>;

/** The permissions and audit entries of the other services: the rows of each noun stand in its feature. */
export function createRules(services: Services): GuardedRules {
  return {
  };
}
