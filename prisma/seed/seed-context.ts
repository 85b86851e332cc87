import { LOCAL_PRINCIPAL } from "../../src/lib/contract/access";
import type { ToolDefinition } from "../../src/lib/contract/tool-definition";
import type { ApprovalStore } from "../../src/server/calls/approvals/approval-store";
import { createApprovalStore } from "../../src/server/calls/approvals/db/approval-store";
import { createExecutionStore } from "../../src/server/calls/executions/db/execution-store";
import type { ExecutionStore } from "../../src/server/calls/executions/execution-store";
import { systemClock } from "../../src/server/create-tool-engine";
import { callAs } from "../../src/server/main/api/call-as";
import { type Container, createContainer } from "../../src/server/main/container";
import type { Env } from "../../src/server/main/env";
import { createLogger } from "../../src/server/main/logger";
import type { Database } from "../../src/server/platform/db/database";
import { claimDatabase, openDatabase } from "../../src/server/platform/db/open-database";
import { AjvValidator } from "../../src/server/platform/workers/ajv-validator";

/** The server's own services, and its procedures as the local owner calls them: those leave entries in the audit log. */
export type Services = Container["services"] & { api: ReturnType<typeof callAs> };

/** The stores that write calls of the past. */
export interface PastPorts {
  db: Database;
  executions: ExecutionStore;
  validator: AjvValidator;
}

type WriteCall = (stores: Pick<PastPorts, "executions"> & { approvals: ApprovalStore }) => Promise<void>;

/** Calls written at once; the store makes its own batches of them. */
const CHUNK = 500;

/** The services that a scenario uses. Not both at the same time: each may open the database file. */
export interface SeedContext {
  /** Epoch milliseconds: the end of the past. */
  now: number;
  /** The database is for the sample data alone: it may have rules, and what tells other programs. */
  isDemo: boolean;
  /** Where the server listens that will use the database. */
  port: number;
  /** The server's own services: what is done here really happens, now. */
  withServices<T>(work: (services: Services) => Promise<T>): Promise<T>;
  withPast<T>(work: (ports: PastPorts) => Promise<T>): Promise<T>;
  /** Lists show calls in the order of recording, so calls of the past wait until all scenarios have queued theirs. */
  queueCall(at: number, write: WriteCall): void;
  /** Writes the queued calls in order of time. */
  writeQueued(): Promise<void>;
}

/** In place of a start of the server. */
const SEED_INSTANCE = "inst_seed";

type Access = Pick<SeedContext, "port" | "withServices" | "withPast">;

/** What a running server has open. */
export interface RunningServer {
  services: Container["services"];
  past: PastPorts;
  port: number;
  /** Open pages read again. */
  onWritten(): void;
}

function withApi(services: Container["services"]): Services {
  const stopping = new AbortController().signal;
  return { ...services, api: callAs({ servicesFor: () => services, stopping }, LOCAL_PRINCIPAL) };
}

/** The database of a running server, through it. */
export function openRunningServer({ services, past, port }: RunningServer): Access {
  return {
    port,
    withServices: (work) => work(withApi(services)),
    async withPast(work) {
      const made = await work(past);
      await past.executions.drainIndex();
      return made;
    },
  };
}

/** A database that no server uses. */
export function openOwnDatabase(env: Env): Access {
  return {
    port: env.port,
    async withServices(work) {
      const container = await createContainer(env);
      try {
        return await work(withApi(container.services));
      } finally {
        await container.close();
      }
    },
    async withPast(work) {
      const logger = createLogger(env);
      const claim = await claimDatabase(env.database.url, null, logger);
      const db = await openDatabase({ url: env.database.url, logger, claim });
      const executions = createExecutionStore({ db, logger, instanceId: SEED_INSTANCE, clock: systemClock });
      const validator = new AjvValidator({ home: env.home });
      try {
        const made = await work({ db, executions, validator });
        await executions.drainIndex();
        return made;
      } finally {
        await validator.close();
        await executions.close();
        await db.close();
        await claim.release();
        logger.flush();
      }
    },
  };
}

export function createSeedContext(access: Access, isDemo: boolean, now: number = Date.now()): SeedContext {
  const queued: { at: number; write: WriteCall }[] = [];
  const context: SeedContext = {
    ...access,
    now,
    isDemo,
    queueCall: (at, write) => void queued.push({ at, write }),
    async writeQueued() {
      if (queued.length === 0) return;
      await context.withPast(async ({ db, executions }) => {
        const stores = { executions, approvals: createApprovalStore({ db }) };
        const calls = queued.splice(0).sort((one, other) => one.at - other.at);
        for (let from = 0; from < calls.length; from += CHUNK) {
          await Promise.all(calls.slice(from, from + CHUNK).map(({ write }) => write(stores)));
        }
      });
    },
  };
  return context;
}

/** Adds the tools that the catalog does not have yet. @returns how many those were, and all definitions by name */
export async function registerTools({ tools, api }: Services, wanted: readonly { name: string }[]) {
  const missing = wanted.filter(({ name }) => tools.find(name) === null);
  for (const definition of missing) await api.tools.create({ definition: JSON.stringify(definition) });
  const definitions = new Map<string, ToolDefinition>();
  for (const { name } of tools.list().items) {
    const detail = tools.find(name);
    if (detail !== null) definitions.set(name, detail.definition);
  }
  return { registered: missing.length, definitions };
}
