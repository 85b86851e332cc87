import { type Actor, LOCAL_OWNER } from "../../../lib/contract/actor";
import type { ApprovalPolicy } from "../../../lib/contract/approval";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { newExecutionId } from "../../../lib/execution-id";
import { createEngineParts, createExecutor } from "../../create-tool-engine";
import { CallMask } from "../../engine/masking/call-mask";
import { testMasking } from "../../engine/masking/masking.test-support";
import type { Handler, Handlers } from "../../engine/ports";
import { createTestToolService } from "../../features/tools/tool-service.test-support";
import type { Bulletin } from "../../platform/coordination/bulletin";
import type { CallRegistry } from "../../platform/coordination/call-registry";
import type { Instances } from "../../platform/coordination/instances";
import { createJobs } from "../../platform/coordination/local-jobs";
import { createSealedBulletin } from "../../platform/coordination/sealed-bulletin";
import { createSealedSingle } from "../../platform/coordination/single-copy.test-support";
import type { Database } from "../../platform/db/database";
import { quietLogger } from "../../platform/db/database.test-support";
import { createExecutionStore } from "../executions/db/execution-store";
import { createRunningExecutions } from "../executions/execution-calls";
import { createOpenExecutionService } from "../executions/execution-service.test-support";
import { createLiveJournal } from "../executions/live-journal";
import { createApprovalBroker } from "./approval-broker";
import { createApprovalOwners } from "./approval-owners";
import { createApprovalRequests } from "./approval-requests";
import { createApprovalService } from "./approval-service";
import type { ApprovalStore } from "./approval-store";
import { createApprovalLinkStore, createApprovalStore } from "./db/approval-store";

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
  store?: (store: ApprovalStore) => ApprovalStore;
  /** Whether users have accounts. */
  accounts?: boolean;
  /** The approval policy of an MCP server. */
  serverPolicy?: (server: string) => ApprovalPolicy | null;
  /** Other instances of the server; none when absent. */
  coordination?: { copies: Instances; bulletin: Bulletin; calls: CallRegistry };
}

let lives = 0;
/** Hides what is sent from those who read the database, as the real one. */
const HEX_BOX = {
  seal: (plain: string) => Buffer.from(plain).toString("hex"),
  open: (sealed: string) => Buffer.from(sealed, "hex").toString(),
};

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
  lives += 1;
  const { coordination } = options;
  const instanceId = coordination?.copies.self.id ?? `inst_${lives}`;
  const owners = createApprovalOwners(
    coordination === undefined
      ? createSealedSingle(instanceId)
      : { copies: coordination.copies, bulletin: createSealedBulletin(coordination.bulletin, HEX_BOX) },
  );
  const jobs = createJobs({ clock, logger });
  const executionStore = createExecutionStore({ db, logger, instanceId, clock });
  const builtins: Handlers = {
    wipe:
      options.wipe ??
      ((args) => {
        wiped.push(args);
        return { wiped: args.folder };
      }),
  };
  const approvalStore = createApprovalStore({ db });
  const engineOptions = {
    builtins,
    mcp: {
      call: async (serverName: string, tool: string) => ({
        content: [{ type: "text", text: `${serverName} ran ${tool}` }],
      }),
    },
    journal: createLiveJournal(executionStore, tell),
    masking: testMasking,
  };
  const parts = createEngineParts(engineOptions);
  const tools = createTestToolService(parts, db, {
    logger,
    clock,
    serverPolicy: options.serverPolicy,
    accounts: options.accounts,
    onChange: () => told.push("tools"),
  });
  const getMode = tools.approvalMode;
  const onChange = (): void => void told.push("approvals");
  const desk = createApprovalBroker({
    requests: createApprovalRequests({
      store: options.store?.(approvalStore) ?? approvalStore,
      clock,
      getMode,
      accounts: options.accounts === true,
      onChange,
    }),
    clock,
    logger,
    jobs,
    getMode,
    onChange,
    recheckMs: 20,
    required: tools.asksFirst,
    expiryMs: options.expiryMs ?? 86_400_000,
  });
  const engine = { ...parts, executor: createExecutor(parts, { ...engineOptions, approvals: desk.broker }) };
  const running = createRunningExecutions({ executor: engine.executor, newId: newExecutionId });
  const approvals = createApprovalService({
    desk,
    owners,
    clock,
    logger,
    jobs,
    getMode,
    execute: running.execute,
    links: createApprovalLinkStore(db),
    getApproval: tools.getApproval,
    runsNow: tools.runsNow,
    findFaults: tools.findFaults,
    maskArguments: (definition, text) => new CallMask(definition, testMasking).argumentsText(text),
    onDecided: (executionId, runId) => resumed.push([executionId, runId]),
  });
  const executions = createOpenExecutionService({
    running,
    calls: coordination?.calls,
    copies: coordination?.copies,
    store: executionStore,
    limits: engine.limits,
    newId: newExecutionId,
    currentHash: tools.findHash,
    withdrawApproval: approvals.withdraw,
  });
  for (const definition of options.tools ?? [WIPE]) engine.registry.register(definition);
  await tools.load({ outcome: { registered: [], rejected: [] }, path: "config/toolroom.json", problems: [] });
  await approvals.load();
  await jobs.start();
  return {
    approvals,
    approvalStore,
    approvalRequests: desk.requests,
    engine,
    executions,
    tools,
    wiped,
    resumed,
    told,
    /** The statuses of executions, as open tabs receive them. */
    statuses,
    /** As the end of the server does it. */
    async stop(): Promise<void> {
      approvals.stop();
      await jobs.stop();
      await executions.stop(0);
      await engine.close();
      await executionStore.close();
    },
    /** Nothing is told or written any more, as after a kill: the next process finds what is there. */
    async vanish(): Promise<void> {
      approvals.stop();
      await jobs.stop();
      await engine.close();
      await executionStore.close();
    },
  };
}

export type TestServer = Awaited<ReturnType<typeof startServer>>;
