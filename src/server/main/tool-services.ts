import type { Actor } from "../../lib/contract/actor";
import { newExecutionId } from "../../lib/execution-id";
import { aliasesByName } from "../../lib/portable-name";
import { createToolEngine, systemClock, type ToolEngine } from "../create-tool-engine";
import { CallMask } from "../engine/masking/call-mask";
import type { McpConnections } from "../engine/mcp-ports";
import { createApprovalService } from "../features/approvals/approval-service";
import { createApprovalStore } from "../features/approvals/db/approval-store";
import type { RecordDeleted } from "../features/executions/db/execution-deletes";
import { createExecutionStore } from "../features/executions/db/execution-store";
import { createPrivateCallStore } from "../features/executions/db/private-calls";
import { createExecutionService } from "../features/executions/execution-service";
import { createLiveJournal, createLiveObserver } from "../features/executions/live-journal";
import { createPrivateCalls } from "../features/executions/private-calls";
import { createToolStore } from "../features/tools/db/tool-store";
import { createToolService } from "../features/tools/tool-service";
import { createToolsetStore } from "../features/toolsets/db/toolset-store";
import { createToolsetService } from "../features/toolsets/toolset-service";
import { requestBody, wireFormat } from "../models/wire-format";
import { createToolFinder } from "../platform/workers/tool-finder";
import type { Foundation } from "./foundation";
import { createInternalHandlers } from "./internal-handlers";
import type { LateServices } from "./late-services";

/** The engine, the catalogue, executions and approvals. */
export function createToolServices(
  foundation: Foundation,
  connections: McpConnections,
  late: LateServices,
  {
    accounts,
    findPerson,
    recordDeleted,
  }: { accounts: boolean; findPerson: (id: string) => Promise<Actor | null>; recordDeleted: RecordDeleted },
) {
  const { env, db, logger, live, instanceId, config } = foundation;
  const { calls, jobs } = foundation.coordination;
  const executionStore = createExecutionStore({
    db,
    logger,
    instanceId,
    clock: systemClock,
    recordDeleted,
  });
  const engine = createToolEngine({
    rootDir: env.rootDir,
    logger,
    limits: config.limits,
    builtins: config.builtins,
    internals: { ...createInternalHandlers(late), ...config.internals },
    mcp: connections,
    explainMissing: (name, signal) => late.get("servers").explainMissing(name, signal),
    approvals: {
      required: (...asked) => late.find("tools")?.asksFirst(...asked) ?? false,
      modeOf: (name) => late.find("tools")?.approvalMode(name) ?? null,
      ask: (...asked) => late.get("approvals").broker.ask(...asked),
      expiryMs: config.approvals.expiryMs,
    },
    journal: createLiveJournal(executionStore, live.publish, {
      onPersonalCall: () => privateCalls.forgetRuns(),
      findProblem: db.disk.problem,
    }),
    observer: createLiveObserver(live.publish, (runId) => privateCalls.audienceOfRun(runId)),
    masking: foundation.masking,
    findLens: (name) => late.find("tools")?.lensOf(name) ?? null,
  });
  const catalogueListeners = new Set<() => void>();
  const onCatalogue = (): void => {
    for (const listener of catalogueListeners) listener();
  };
  const toolStore = createToolStore({ db });
  const tools = createToolService({
    registry: engine.registry,
    validator: engine.validator,
    store: toolStore,
    handlers: engine.handlers,
    limits: engine.limits,
    checkLens: engine.lenses.check,
    wireFormat,
    requestBody,
    hashOf: executionStore.hashDefinition,
    logger,
    clock: systemClock,
    accounts,
    findPerson,
    approvalPolicy: config.approvals.policy,
    serverPolicy: (server) => late.find("servers")?.approvalPolicy(server) ?? null,
    onRenamed: (renamed) => toolsets.rename(renamed),
    onChange: () => {
      live.publish({ type: "tools" });
      onCatalogue();
    },
  });
  const executions = createExecutionService({
    executor: engine.executor,
    store: executionStore,
    limits: engine.limits,
    newId: newExecutionId,
    currentHash: (name) => tools.find(name)?.definitionHash ?? null,
    listAwaitingInput: async () => {
      const pending = await late.get("interactions").list();
      return pending.flatMap(({ executionId }) => executionId ?? []);
    },
    contentTool: (...asked) => late.get("content").toolFor(...asked),
    withdrawApproval: (actor, id) => late.get("approvals").withdraw(actor, id),
    lenses: { find: tools.lensOf, projector: engine.lenses },
    calls,
  });
  const approvals = createApprovalService({
    store: createApprovalStore({ db }),
    clock: systemClock,
    logger,
    jobs,
    expiryMs: config.approvals.expiryMs,
    required: tools.asksFirst,
    approvalOf: tools.approvalOf,
    modeOf: tools.approvalMode,
    accounts,
    runsNow: tools.runsNow,
    faultsOf: tools.faultsOf,
    maskArguments: (definition, text) => new CallMask(definition, foundation.masking).argumentsText(text),
    execute: executions.execute,
    onChange: () => live.publish({ type: "approvals" }),
    onDecided: (_executionId, runId) => {
      if (runId !== null) void late.get("runs").decided(runId);
    },
  });
  const privateCalls = createPrivateCalls({
    store: createPrivateCallStore(db.raw),
    servers: () => late.find("servers")?.personalServers() ?? { personal: [], open: [] },
    approvalMode: tools.approvalMode,
    now: systemClock.now,
  });
  const toolsets = createToolsets(foundation, engine, (listener) => catalogueListeners.add(listener), onCatalogue);
  return {
    ...{ engine, tools, executions, approvals, executionStore, privateCalls },
    toolsets,
    versions: toolStore.versions,
    onCatalogueChanged(listener: () => void): () => void {
      catalogueListeners.add(listener);
      return () => catalogueListeners.delete(listener);
    },
    async load(): Promise<void> {
      await toolsets.load();
      await tools.load({
        outcome: engine.registry.loadConfig(config.content),
        path: config.path,
        problems: config.problems,
      });
    },
  };
}

/** Listeners of the catalog are told of toolsets too: clients see both as lists of tools. */
function createToolsets(
  { db, live }: Foundation,
  { registry, validator, limits, lenses }: ToolEngine,
  listen: (listener: () => void) => void,
  onCatalogue: () => void,
) {
  const toolsets = createToolsetService({
    store: createToolsetStore({ db, clock: systemClock }),
    definitions: () => registry.list(),
    aliasNames: aliasesByName,
    createFinder: createToolFinder,
    ...{ wireFormat, validator, limits, checkLens: lenses.check },
    onChange() {
      live.publish({ type: "toolsets" });
      onCatalogue();
    },
  });
  listen(toolsets.invalidate);
  return toolsets;
}
