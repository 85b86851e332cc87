import { type Actor, type LiveEvent, LOCAL_OWNER, type ToolDefinition } from "../../../lib/contract";
import { newExecutionId } from "../../../lib/execution-id";
import { createToolEngine } from "../../create-tool-engine";
import type { Database } from "../../db/database";
import { quietLogger } from "../../db/test-database";
import type { Handler, Handlers } from "../../engine/ports";
import { createExecutionService } from "../executions/execution-service";
import { createExecutionStore } from "../executions/execution-store";
import { createInstanceStore } from "../executions/instance-store";
import { createLiveJournal } from "../executions/live-journal";
import { createToolService } from "../tools/tool-service";
import { createToolStore } from "../tools/tool-store";
import { createApprovalService } from "./approval-service";
import { type ApprovalStore, createApprovalStore } from "./approval-store";

export const ALICE: Actor = { id: "alice", name: "Alice" };
export const BOB: Actor = { id: "bob", name: "Bob" };
export { LOCAL_OWNER };

const clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** A tool that asks. */
export const WIPE: ToolDefinition = {
  name: "wipe",
  description: "Removes a folder with all that is in it",
  type: "function",
  handler: "wipe",
  parameters: { type: "object", properties: { folder: { type: "string" } }, required: ["folder"] },
  implementation: { type: "builtin", handler: "wipe" },
  annotations: { destructiveHint: true },
};

export interface TestServerOptions {
  expiryMs?: number;
  wipe?: Handler;
  tools?: ToolDefinition[];
  /** Whether another process runs. All tests are one process, which takes its like for ended. */
  isAlive?: (instanceId: string) => Promise<boolean>;
  store?: (store: ApprovalStore) => ApprovalStore;
}

/** The parts of one server process that have to do with approvals, on a real database. */
export async function startServer(db: Database, options: TestServerOptions = {}) {
  const logger = quietLogger();
  const wiped: unknown[] = [];
  const resumed: [string, string | null][] = [];
  const told: string[] = [];
  const statuses: string[] = [];
  const tell = (event: LiveEvent): void => {
    if (event.type === "execution") statuses.push(event.execution.status);
  };
  const instances = createInstanceStore({ db, logger, clock });
  await instances.start();
  const executionStore = createExecutionStore({ db, logger, instanceId: instances.instanceId, clock });
  const builtins: Handlers = {
    wipe:
      options.wipe ??
      ((args) => {
        wiped.push(args);
        return { wiped: args.folder };
      }),
  };
  const approvalStore = createApprovalStore({ db, instanceId: instances.instanceId });
  const approvals = createApprovalService({
    store: options.store?.(approvalStore) ?? approvalStore,
    isAlive: options.isAlive ?? instances.isAlive,
    recheckMs: 20,
    clock,
    logger,
    expiryMs: options.expiryMs ?? 86_400_000,
    required: (definition) => tools.asksFirst(definition),
    faultsOf: (name, args) => tools.faultsOf(name, args),
    execute: (...call) => executions.execute(...call),
    onChange: () => told.push("approvals"),
    onDecided: (executionId, runId) => resumed.push([executionId, runId]),
  });
  const engine = createToolEngine({
    builtins,
    journal: createLiveJournal(executionStore, tell),
    approvals: approvals.desk,
  });
  const tools = createToolService({
    registry: engine.registry,
    validator: engine.validator,
    store: createToolStore({ db }),
    handlers: engine.handlers,
    limits: engine.limits,
    hashOf: executionStore.hashDefinition,
    logger,
    clock,
    onChange: () => told.push("tools"),
  });
  const executions = createExecutionService({
    executor: engine.executor,
    store: executionStore,
    limits: engine.limits,
    newId: newExecutionId,
    currentHash: (name) => tools.find(name)?.definitionHash ?? null,
    withdrawApproval: approvals.withdraw,
  });
  for (const definition of options.tools ?? [WIPE]) engine.registry.register(definition);
  await tools.load({ outcome: { registered: [], rejected: [] }, path: "config/toolroom.json", problems: [] });
  await approvals.load();
  return {
    approvals,
    engine,
    executions,
    tools,
    wiped,
    resumed,
    told,
    /** Of executions, as open tabs hear them. */
    statuses,
    /** As the end of the server does it. */
    async stop(): Promise<void> {
      approvals.stop();
      await executions.stop(0);
      await engine.close();
      await executionStore.close();
      await instances.close();
    },
    /** Nothing is told or written any more, as after a kill: the next process finds what is there. */
    async vanish(): Promise<void> {
      approvals.stop();
      await engine.close();
      await executionStore.close();
    },
  };
}

export type TestServer = Awaited<ReturnType<typeof startServer>>;

export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 5000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`${what} did not happen`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
