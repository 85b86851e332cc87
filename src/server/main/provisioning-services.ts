import { toAddress } from "../../lib/base-path";
import type { Principal } from "../../lib/contract/access";
import { getClientAddress } from "../../lib/http-guard/request-headers";
import { getOrigin } from "../features/accounts/access";
import type { AuthLibrary } from "../features/accounts/account-ports";
import type { createPeopleService } from "../features/accounts/account-service";
import type { AccountStore } from "../features/accounts/account-store";
import { createSettingStore } from "../features/accounts/db/setting-store";
import { createSecretToken, hashToken } from "../features/accounts/one-time-token";
import type { RequestLimits } from "../features/accounts/request-limits";
import type { AuditLog } from "../features/audit/audit-log";
import { createScimEndpoint } from "../features/provisioning/answer-scim";
import { createProvisioningStore } from "../features/provisioning/db/provisioning-store";
import { createProvisioningService, PROVIDER } from "../features/provisioning/provisioning-service";
import { createProvisioningSettings } from "../features/provisioning/provisioning-settings";
import type { Foundation } from "./foundation";

interface ProvisioningParts {
  store: AccountStore;
  auth: AuthLibrary | null;
  limits: RequestLimits | null;
  people: ReturnType<typeof createPeopleService>;
  publishChange(userId: string): Promise<void>;
  publishLimits(userIds: readonly string[]): Promise<void>;
  hasToolset(name: string): boolean;
  onRenamed(): Promise<void>;
  rolesFromSignOn: boolean;
  now(): number;
}

/** The rate limit of the provider is that of a token. */
const LIMITED: Principal = {
  ...PROVIDER,
  role: "viewer",
  token: { id: "scim", scopes: [], tools: null, servers: null },
};

/** Users and groups of an identity provider, and the door that it sends them to. */
export function createProvisioning({ db, env, logger }: Foundation, audit: AuditLog, parts: ProvisioningParts) {
  const { store: users, auth, limits, people, onRenamed, rolesFromSignOn, now } = parts;
  const { publishChange, publishLimits, hasToolset } = parts;
  const store = createProvisioningStore({ db });
  const provisioningSettings = createProvisioningSettings({
    accounts: auth !== null,
    settings: createSettingStore({ db }),
    store,
    createSecretToken,
    hashToken,
    rolesFromSignOn,
    now,
  });
  const provisioning = createProvisioningService({
    store,
    settings: provisioningSettings,
    users,
    people,
    auth,
    audit,
    rolesFromSignOn,
    onRenamed,
    publishChange,
    publishLimits,
    hasToolset,
    now,
  });
  const scim = createScimEndpoint({
    provisioning: auth === null ? null : provisioning,
    settings: provisioningSettings,
    audit,
    admit: (isKnown, headers) => limits?.admit(isKnown ? LIMITED : null, getClientAddress(headers)),
    readOrigin: (headers) => getOrigin(headers, "rest"),
    publicUrl: env.publicUrl === null ? null : env.publicUrl.replace(/\/$/, ""),
    toAddress,
    logger,
  });
  return { provisioning, provisioningSettings, scim };
}
