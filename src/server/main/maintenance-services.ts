import path from "node:path";
import { explainDenial, LOCAL_PRINCIPAL, type Principal } from "../../lib/contract/access";
import { isServiceAccount } from "../../lib/contract/actor";
import { newId } from "../../lib/execution-id";
import { createApprovalChannels } from "../calls/approvals/approval-channels";
import type { LinkSigner } from "../calls/approvals/approval-links";
import type { createApprovalService } from "../calls/approvals/approval-service";
import { createApprovalChannelStore } from "../calls/approvals/db/approval-store";
import { createKeptExecutions, createUnusedDefinitions } from "../calls/executions/db/kept-executions";
import type { ExecutionStore } from "../calls/executions/execution-store";
import type { StatisticsReads } from "../calls/statistics/statistics-store";
import { systemClock } from "../create-tool-engine";
import { createSettingStore } from "../features/accounts/db/setting-store";
import { createAlertService } from "../features/alerts/alert-service";
import { createAlertStore } from "../features/alerts/db/alert-store";
import type { AuditLog } from "../features/audit/audit-log";
import { createRetentionService } from "../features/retention/retention-service";
import type { RuleService } from "../features/rules/rule-service";
import { createKeptRuns } from "../features/runs/db/kept-runs";
import type { ServerService } from "../features/servers/server-service";
import { createStorageService } from "../features/system/storage-service";
import type { ToolService } from "../features/tools/tool-service";
import { createViewStore } from "../features/views/db/view-store";
import { createViewService } from "../features/views/view-service";
import { createWebhookStore } from "../features/webhooks/db/webhook-store";
import { createWebhookService } from "../features/webhooks/webhook-service";
import { canReleasePages, releaseFreePages } from "../platform/db/free-pages";
import { createOnlineBackups } from "../platform/db/online-backup";
import { createOutgoingAgents } from "../platform/outgoing/outgoing-agents";
import { createOutgoingFetch } from "../platform/outgoing/outgoing-fetch";
import type { createAccountServices } from "./account-services";
import type { Foundation } from "./foundation";

/** About as many pages as deleting one of a batch of calls writes: two of 50 at once, six of ten. Too many checkpoints wait for the disk too. */
const PAGES_PER_CALL = 3;

interface MaintenanceParts {
  audit: AuditLog;
  executionStore: Pick<ExecutionStore, "delete">;
}

/** Keeps the database small and safe: retention, sizes, backups. */
export function createMaintenanceServices(foundation: Foundation, { audit, executionStore }: MaintenanceParts) {
  const { env, db, logger, live, coordination } = foundation;
  const { now } = systemClock;
  const retention = createRetentionService({
    now,
    logger,
    audit,
    jobs: coordination.jobs,
    settings: createSettingStore({ db }),
    executions: createKeptExecutions(db),
    runs: createKeptRuns(db),
    definitions: createUnusedDefinitions(db),
    async deleteExecutions(ids, by) {
      const deleted = await executionStore.delete(ids, by);
      if (db.kind === "sqlite") db.noteWritten(ids.length * PAGES_PER_CALL);
      return deleted;
    },
    // PostgreSQL's autovacuum makes room in its files for new rows.
    releaseSpace: async (signal) => (db.kind === "sqlite" ? await releaseFreePages(db, signal) : 0),
    onDeleted: () => live.publish({ type: "system" }),
  });
  const storage = createStorageService({
    location: env.database.location,
    database: {
      size: db.size,
      parts: db.parts,
      disk: () => db.disk?.state() ?? null,
      releasesSpace: () => db.kind !== "sqlite" || canReleasePages(db.raw),
    },
    backups:
      db.kind !== "sqlite"
        ? null
        : createOnlineBackups({
            db,
            now,
            keyFile: env.database.keyFile,
            workerFile: path.join(env.home, "src/server/platform/db/backup-worker.mjs"),
          }),
  });
  return { retention, storage };
}

/** The saved views of lists. */
export const createViews = ({ db, live }: Foundation) =>
  createViewService({
    store: createViewStore(db),
    newId: () => newId("view"),
    now: systemClock.now,
    onChange: () => live.publish({ type: "views" }),
  });

interface WebhookParts {
  audit: AuditLog;
  signer: LinkSigner;
  accounts: Pick<Awaited<ReturnType<typeof createAccountServices>>, "access" | "readRights">;
  servers: Pick<ServerService, "list">;
}

/** The events that other programs receive: those of open pages, in other words. */
export function createWebhooks(foundation: Foundation, { audit, servers, signer, accounts }: WebhookParts) {
  const { env, db, logger, live, coordination, secretBox, addresses, version } = foundation;
  const webhooks = createWebhookService({
    audit,
    logger,
    jobs: coordination.jobs,
    bulletin: coordination.bulletin,
    now: systemClock.now,
    store: createWebhookStore({ db, secretBox }),
    newId,
    publicUrl: env.publicUrl,
    userAgent: `Toolroom-Webhooks/${version}`,
    fetch: createOutgoingFetch(createOutgoingAgents(addresses)),
    readServer(name) {
      const found = servers.list().items.find((server) => server.name === name);
      if (found?.enabled !== true) return null;
      const { state, heldCount } = found;
      return { status: state.status, reason: state.reason, heldCount };
    },
    channels: createApprovalChannels({ store: createApprovalChannelStore(db), now: systemClock.now }),
    createApprovalLink(executionId, { id: webhookId, approverId }, issuedAt) {
      if (approverId === null || env.publicUrl === null) return null;
      const token = signer.sign({ executionId, webhookId, userId: approverId, issuedAt });
      return `${env.publicUrl}/approve#${token}`;
    },
    async explainApprover(userId) {
      if (env.publicUrl === null) return "needs TOOLROOM_PUBLIC_URL, the address that links begin with";
      const approver = await findApprover(accounts, userId);
      return approver === null ? "must be an active user whose role may approve: operator, editor or admin" : null;
    },
    onChange: () => live.publish({ type: "webhooks" }),
  });
  live.listen(webhooks.notice);
  coordination.copies.onLost(webhooks.resume);
  foundation.clockWatch.onSetBack(webhooks.followClock);
  return webhooks;
}

interface AlertParts {
  statistics: StatisticsReads;
  servers: Pick<ServerService, "list">;
  tools: Pick<ToolService, "find">;
  approvals: Pick<ReturnType<typeof createApprovalService>, "list">;
  rules: Pick<RuleService, "usage">;
  publish: ReturnType<typeof createWebhooks>["publish"];
}

const WAITING_PAGE = 100;
/** Requests beyond these are younger than any that an alert is likely about. */
const MAX_WAITING = 1_000;

/** Alert rules and their alerts. */
export function createAlerts(
  foundation: Foundation,
  { statistics, servers, tools, approvals, rules, publish }: AlertParts,
) {
  const { db, live, logger, coordination } = foundation;
  return createAlertService({
    store: createAlertStore(db),
    statistics,
    logger,
    jobs: coordination.jobs,
    now: systemClock.now,
    newId: () => newId("alert"),
    hasTool: (name) => tools.find(name) !== null,
    publish,
    limits: () => rules.usage(),
    servers: () =>
      servers
        .list()
        .items.filter(({ enabled }) => enabled)
        .map(({ name, state, heldCount }) => ({ name, status: state.status, heldCount })),
    async waiting(until) {
      const found: { tool: string; requestedAt: number }[] = [];
      let cursor: number | undefined;
      do {
        const { items, nextCursor } = await approvals.list("open", cursor, WAITING_PAGE);
        found.push(...items.map(({ toolName, requestedAt }) => ({ tool: toolName, requestedAt })));
        cursor = nextCursor ?? undefined;
      } while (cursor !== undefined && found.length < MAX_WAITING && (found.at(-1)?.requestedAt ?? until) < until);
      return found;
    },
    onChange: () => live.publish({ type: "alerts" }),
  });
}

/** A user who may approve calls, with the rights of now; null for one who may not. */
export async function findApprover(
  { access, readRights }: WebhookParts["accounts"],
  userId: string,
): Promise<Principal | null> {
  if (!access.accounts) return userId === LOCAL_PRINCIPAL.id ? LOCAL_PRINCIPAL : null;
  if (isServiceAccount({ id: userId })) return null;
  const rights = await readRights({ id: userId, name: "" }, null);
  return "refusal" in rights || explainDenial(rights.principal, "run") !== null ? null : rights.principal;
}
