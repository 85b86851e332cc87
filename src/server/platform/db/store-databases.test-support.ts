import { existsSync, readFileSync } from "node:fs";
import { describe } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { createApprovalStore } from "../../calls/approvals/db/approval-store";
import { createExecutionStore } from "../../calls/executions/db/execution-store";
import { interruptOrphans } from "../../calls/executions/db/interrupt-orphans";
import { INDEX_WORKER, systemClock } from "../../calls/executions/execution.test-support";
import { createSpendStore } from "../../calls/spend/db/spend-store";
import { createAlertStore } from "../../features/alerts/db/alert-store";
import { createCallEventStore, createCassetteStore } from "../../features/cassettes/db/cassette-store";
import { createReportStore } from "../../features/changes/db/report-store";
import { createTrafficStore } from "../../features/changes/db/traffic-store";
import { createAskedInputStore } from "../../features/clients/db/asked-input-store";
import { createClientStore } from "../../features/clients/db/client-store";
import { createConformanceStore } from "../../features/conformance/db/conformance-store";
import { createSkillGateStore } from "../../features/content/db/skill-gate-store";
import { createGatewaySessionStore } from "../../features/gateway/db/gateway-session-store";
import { createGatewayTaskStore } from "../../features/gateway/db/gateway-task-store";
import { createModelProviderStore } from "../../features/models/db/model-provider-store";
import { createCountedCallReader } from "../../features/rules/db/counted-calls";
import { createLimitStore } from "../../features/rules/db/limit-store";
import { createRuleCaseStore } from "../../features/rules/db/rule-case-store";
import { createRuleStore } from "../../features/rules/db/rule-store";
import { createLimitCounts } from "../../features/rules/limit-counts";
import { createRunStore } from "../../features/runs/db/run-store";
import { createSamplingStore } from "../../features/sampling/db/sampling-store";
import { createServerStore } from "../../features/servers/db/server-store";
import { createUpstreamCredentialStore } from "../../features/servers/db/upstream-credential-store";
import { createOwnSkillStore } from "../../features/skills/db/own-skill-store";
import { createEvalStore } from "../../features/suites/db/suite-eval-store";
import { createSuiteStore } from "../../features/suites/db/suite-store";
import { createToolStore } from "../../features/tools/db/tool-store";
import { createToolsetStore } from "../../features/toolsets/db/toolset-store";
import { createTranscriptStore } from "../../features/transcripts/db/transcript-store";
import { createViewStore } from "../../features/views/db/view-store";
import type { CreateDatabase, StoreDatabase } from "./contract/store-database.test-support";
import type { Database } from "./database";
import { createScratchDatabase, quietLogger } from "./database.test-support";
import { Prisma } from "./generated/client";
import { createScratchPostgres, HAS_POSTGRES } from "./postgres/scratch-postgres.test-support";

/** The stores on an open database, and what is done with it by its kind. */
async function createStoreDatabase(
  scratch: { db: Database; reopen(): Promise<unknown>; remove(): Promise<void> },
  own: Pick<StoreDatabase, "execute" | "readContent">,
): Promise<StoreDatabase> {
  const logger = quietLogger();
  return {
    tools: (options) => createToolStore({ db: scratch.db, ...options }),
    ownSkills: (options) => createOwnSkillStore({ db: scratch.db, ...options }),
    skillGates: () => createSkillGateStore(scratch.db),
    toolsets: (options) => createToolsetStore({ db: scratch.db, ...options }),
    servers: (options) => createServerStore({ db: scratch.db, clock: systemClock, ...options }),
    upstreamCredentials: (options) =>
      createUpstreamCredentialStore({ db: scratch.db, clock: systemClock, localOwner: LOCAL_OWNER, ...options }),
    modelProviders: (options) => createModelProviderStore({ db: scratch.db, ...options }),
    evals: () => createEvalStore({ db: scratch.db, clock: systemClock }),
    suites: (owner) => createSuiteStore({ db: scratch.db, owner, now: systemClock.now }),
    transcripts: () => createTranscriptStore({ db: scratch.db }),
    runs: (owner) => createRunStore({ db: scratch.db, owner }),
    changeReports: () => createReportStore(scratch.db),
    conformance: (owner) => createConformanceStore(scratch.db, owner),
    traffic: () => createTrafficStore(scratch.db),
    approvals: () => createApprovalStore({ db: scratch.db }),
    executions: (options) =>
      createExecutionStore({ db: scratch.db, logger, clock: systemClock, indexWorker: INDEX_WORKER, ...options }),
    gatewaySessions: () => createGatewaySessionStore({ db: scratch.db }),
    gatewayTasks: () => createGatewayTaskStore({ db: scratch.db }),
    cassettes: (clock) => ({
      cassettes: createCassetteStore({ db: scratch.db, clock }),
      callEvents: createCallEventStore(scratch.db),
    }),
    views: () => createViewStore(scratch.db),
    alerts: () => createAlertStore(scratch.db),
    rules: () => createRuleStore(scratch.db),
    limits: ({ now } = systemClock) =>
      createLimitCounts({
        store: createLimitStore(scratch.db),
        isShared: scratch.db.kind === "postgres",
        logger,
        now,
      }),
    countedCalls: () => createCountedCallReader(scratch.db, createRuleStore(scratch.db)),
    ruleCases: () => createRuleCaseStore(scratch.db),
    spend: () => createSpendStore(scratch.db),
    clients: () => createClientStore(scratch.db),
    sampling: () => createSamplingStore({ db: scratch.db }),
    askedInputs: () => createAskedInputStore(scratch.db),
    restart: async () => void (await scratch.reopen()),
    count: async (table) =>
      (await scratch.db.row<{ found: number }>(`SELECT count(*) AS found FROM "${table}"`))?.found ?? 0,
    rows: (sql) => scratch.db.rows(sql),
    interruptOrphans: async () => void (await interruptOrphans(scratch.db, logger)),
    remove: scratch.remove,
    ...own,
  };
}

async function createSqliteDatabase(): Promise<StoreDatabase> {
  const scratch = await createScratchDatabase();
  return createStoreDatabase(scratch, {
    execute: async (sql) => void scratch.db.raw.exec(sql),
    async readContent() {
      const files = [scratch.filePath, `${scratch.filePath}-wal`].filter((file) => existsSync(file));
      return files.map((file) => readFileSync(file, "latin1")).join("\n");
    },
  });
}

async function createPostgresDatabase(): Promise<StoreDatabase> {
  const scratch = await createScratchPostgres({ keepsSchema: true });
  return createStoreDatabase(scratch, {
    async execute(sql) {
      if (/\b(ALTER|CREATE|DROP)\b/i.test(sql))
        throw new Error("Only rows may change: later tests use the same schema.");
      await scratch.db.pool.query(sql);
    },
    async readContent() {
      const tables = Object.values(Prisma.ModelName);
      const read = (table: string) =>
        scratch.db.rows<{ row: string }>(`SELECT "${table}"::text AS row FROM "${table}"`);
      return (await Promise.all(tables.map(read)))
        .flat()
        .map(({ row }) => row)
        .join("\n");
    },
  });
}

/** Calls `body` for each kind of database that this machine has. */
export function describeOnBoth(what: string, body: (createDatabase: CreateDatabase) => void): void {
  describe(`${what} on SQLite`, () => body(createSqliteDatabase));
  describe.skipIf(!HAS_POSTGRES)(`${what} on PostgreSQL`, () => body(createPostgresDatabase));
}
