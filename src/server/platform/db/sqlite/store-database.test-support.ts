import { existsSync, readFileSync } from "node:fs";
import { LOCAL_OWNER } from "../../../lib/contract";
import { systemClock } from "../../features/executions/execution.test-support";
import type { StoreDatabase } from "../contract/store-database.test-support";
import { createScratchDatabase, quietLogger } from "../database.test-support";
import { createGatewaySessionStore } from "../stores/gateway-session-store";
import { createGatewayTaskStore } from "../stores/gateway-task-store";
import { createModelCheckStore } from "../stores/model-check-store";
import { createModelProviderStore } from "../stores/model-provider-store";
import { createRunStore } from "../stores/run-store";
import { createServerStore } from "../stores/server-store";
import { createToolStore } from "../stores/tool-store";
import { createToolsetStore } from "../stores/toolset-store";
import { createTranscriptStore } from "../stores/transcript-store";
import { createUpstreamCredentialStore } from "../stores/upstream-credential-store";
import { createApprovalStore } from "./approvals/approval-store";
import { createExecutionStore } from "./executions/execution-store";

export async function createSqliteDatabase(): Promise<StoreDatabase> {
  const scratch = await createScratchDatabase();
  const logger = quietLogger();
  return {
    tools: (options) => createToolStore({ db: scratch.db, ...options }),
    toolsets: (options) => createToolsetStore({ db: scratch.db, ...options }),
    servers: (options) => createServerStore({ db: scratch.db, clock: systemClock, ...options }),
    upstreamCredentials: (options) =>
      createUpstreamCredentialStore({ db: scratch.db, clock: systemClock, localOwner: LOCAL_OWNER, ...options }),
    modelProviders: (options) => createModelProviderStore({ db: scratch.db, ...options }),
    modelChecks: () => createModelCheckStore({ db: scratch.db }),
    transcripts: () => createTranscriptStore({ db: scratch.db }),
    runs: () => createRunStore({ db: scratch.db }),
    approvals: () => createApprovalStore({ db: scratch.db }),
    executions: (options) => createExecutionStore({ db: scratch.db, logger, clock: systemClock, ...options }),
    gatewaySessions: () => createGatewaySessionStore({ db: scratch.db }),
    gatewayTasks: () => createGatewayTaskStore({ db: scratch.db }),
    restart: async () => void (await scratch.reopen()),
    execute: async (sql) => void scratch.db.raw.exec(sql),
    count: async (table) => Number(scratch.db.raw.prepare(`SELECT count(*) FROM "${table}"`).pluck().get()),
    async readContent() {
      const files = [scratch.filePath, `${scratch.filePath}-wal`].filter((file) => existsSync(file));
      return files.map((file) => readFileSync(file, "latin1")).join("\n");
    },
    remove: scratch.remove,
  };
}
