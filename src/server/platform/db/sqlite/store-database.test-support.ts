import { existsSync, readFileSync } from "node:fs";
import { LOCAL_OWNER } from "../../../../lib/contract/actor";
import { createApprovalStore } from "../../../features/approvals/db/approval-store";
import { createExecutionStore } from "../../../features/executions/db/execution-store";
import { systemClock } from "../../../features/executions/execution.test-support";
import { createGatewaySessionStore } from "../../../features/gateway/db/gateway-session-store";
import { createGatewayTaskStore } from "../../../features/gateway/db/gateway-task-store";
import { createModelCheckStore } from "../../../features/model-checks/db/model-check-store";
import { createModelProviderStore } from "../../../features/models/db/model-provider-store";
import { createRunStore } from "../../../features/runs/db/run-store";
import { createServerStore } from "../../../features/servers/db/server-store";
import { createUpstreamCredentialStore } from "../../../features/servers/db/upstream-credential-store";
import { createToolStore } from "../../../features/tools/db/tool-store";
import { createToolsetStore } from "../../../features/toolsets/db/toolset-store";
import { createTranscriptStore } from "../../../features/transcripts/db/transcript-store";
import type { StoreDatabase } from "../contract/store-database.test-support";
import { createScratchDatabase, quietLogger } from "../database.test-support";

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
