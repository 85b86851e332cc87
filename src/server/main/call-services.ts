import type { Role } from "../../lib/contract/access";
import { isCatalogCall } from "../../lib/contract/catalog-call";
import type { ExecutionEnvelope } from "../../lib/contract/envelope";
import { readContentName } from "../../lib/contract/execution-kind";
import type { ToolDefinition } from "../../lib/contract/tool-definition";
import { newExecutionId } from "../../lib/execution-id";
import { OWN_SKILLS } from "../../lib/skill-files";
import { createApprovalBroker } from "../calls/approvals/approval-broker";
import { createApprovalOwners } from "../calls/approvals/approval-owners";
import { createApprovalRequests } from "../calls/approvals/approval-requests";
import { createApprovalService } from "../calls/approvals/approval-service";
import type { StoredApproval } from "../calls/approvals/approval-store";
import { createApprovalLinkStore, createApprovalStore } from "../calls/approvals/db/approval-store";
import { createPrivateCallStore } from "../calls/executions/db/private-calls";
import { createRunningExecutions } from "../calls/executions/execution-calls";
import { createExecutionService } from "../calls/executions/execution-service";
import type { ExecutionStore } from "../calls/executions/execution-store";
import { createLiveJournal, createLiveObserver, createOrderedPublish } from "../calls/executions/live-journal";
import { createPrivateCalls, sharePrivateCalls } from "../calls/executions/private-calls";
import type { InteractionService } from "../calls/interactions/interaction-service";
import { createExecutor, systemClock } from "../create-tool-engine";
import type { UncatalogedTool } from "../engine/executor/execute-options";
import type { ExecuteOptions } from "../engine/executor/tool-executor";
import { CallMask } from "../engine/masking/call-mask";
import type { McpConnections } from "../engine/mcp-ports";
import type { Handlers } from "../engine/ports";
import type { CallCounts } from "../engine/rules/call-counts";
import { CallRules } from "../engine/rules/call-rules";
import { HookEffects } from "../engine/rules/hooks/hook-effects";
import { LimitEffects } from "../engine/rules/limits/limit-effects";
import { PriceEffects } from "../engine/rules/prices/price-effects";
import { createAppService } from "../features/apps/app-service";
import { createCallEventStore } from "../features/cassettes/db/cassette-store";
import { createConsoleContent } from "../features/content/console-content";
import { createContentService } from "../features/content/content-service";
import { withSkillGate } from "../features/content/gate/gated-content";
import type { KnownServers } from "../features/servers/known-servers";
import type { ServerService } from "../features/servers/server-service";
import { withOwnSkills } from "../features/skills/own-skill-content";
import type { ToolService } from "../features/tools/tool-service";
import { createConditionLanguage } from "../platform/conditions/condition-language";
import { createSealedBulletin } from "../platform/coordination/sealed-bulletin";
import { createEvent } from "../platform/shared/event";
import type { CatalogEvents, ServerParts } from "./catalog-services";
import type { Foundation } from "./foundation";
import type { createRules } from "./rule-services";
import { type ConnectionEvents, SERVER_TOOL_STORED_BYTES } from "./server-services";
import type { SkillGateParts } from "./skill-gate-services";
import type { SkillParts } from "./skill-services";

interface CallParts {
  engine: ServerParts;
  accounts: boolean;
  tools: ToolService;
  rules: ReturnType<typeof createRules>;
  /** For conditions that count calls. */
  counts: CallCounts;
  readRole: (userId: string) => Role | null;
  known: KnownServers;
  servers: ServerService;
  connections: McpConnections;
  connectionEvents: ConnectionEvents;
  interactions: InteractionService;
  executionStore: ExecutionStore;
  catalogEvents: CatalogEvents;
  /** The calls that a change which waits breaks, by its hash. */
  listBroken: (hash: string) => Promise<string[]>;
  /** Toolroom's own operations as handlers of tools. */
  internals: Handlers;
  /** Finds the tool of an approved call at `/mcp/toolroom`. */
  provideAgentTool: (stored: StoredApproval & { definition: ToolDefinition }) => UncatalogedTool;
  skills: SkillParts;
  skillGate: SkillGateParts;
}

/**
 * The executor and what its calls go through. It asks the broker for approvals; the approval service runs decided calls with
 * it, so it comes after.
 */
export function createCallServices(foundation: Foundation, parts: CallParts) {
  const { engine: core, accounts, tools, known, servers, connections, interactions, executionStore } = parts;
  const { logger, live, config, masking, db, telemetry, callMetrics } = foundation;
  const { calls, jobs, copies, bulletin } = foundation.coordination;
  const clock = systemClock;
  const { getLens, approvalMode: getMode } = tools;
  const onChange = (): void => live.publish({ type: "approvals" });
  const desk = createApprovalBroker({
    requests: createApprovalRequests({ store: createApprovalStore({ db }), clock, getMode, accounts, onChange }),
    clock,
    logger,
    jobs,
    getMode,
    onChange,
    required: tools.asksFirst,
    expiryMs: config.approvals.expiryMs,
  });
  const ownPrivateCalls = createPrivateCalls({
    store: createPrivateCallStore(db),
    servers: known.personalServers,
    approvalMode: getMode,
    now: clock.now,
  });
  const privateCalls = sharePrivateCalls(ownPrivateCalls, bulletin);
  const publishInOrder = createOrderedPublish(live.publish);
  const events = createCallEventStore(db);
  const journal = createLiveJournal(executionStore, live.publish, {
    async keepEvents(id, happened) {
      // The result is more valuable than the events before it.
      await events.put(id, happened).catch((error: unknown) => {
        logger.warn({ execution_id: id, error: String(error) }, "The events of a call could not be recorded");
      });
    },
    onPersonalCall: privateCalls.forgetRuns,
    findProblem: db.findProblem,
  });
  const executor = createExecutor(core, {
    logger,
    mcp: connections,
    masking,
    findLens: getLens,
    explainMissing: servers.explainMissing,
    rules: new CallRules({
      current: parts.rules.compiled,
      // Hooks come before what costs or counts. What a call costs is known before limits count it.
      added: [
        new HookEffects({ clock, sender: parts.rules.hookSender, readRole: parts.readRole }),
        new PriceEffects(createConditionLanguage()),
        new LimitEffects({ counter: parts.rules.limitCounter, clock }),
      ],
      redactor: core.redactor,
      accounts,
      readRole: parts.readRole,
      counts: parts.counts,
    }),
    approvals: desk.broker,
    journal: callMetrics.watch(telemetry?.traceJournal(journal) ?? journal),
    observer: createLiveObserver(publishInOrder, privateCalls.audienceOfRun),
  });
  const traced = telemetry?.traceExecutor<ExecuteOptions, ExecutionEnvelope>(executor) ?? executor;
  const running = createRunningExecutions({ executor: traced, newId: newExecutionId });
  /** A decided call of a run has ended that nothing waited for. */
  const callDecided = createEvent<[runId: string]>();
  const approvals = createApprovalService({
    desk,
    clock,
    logger,
    jobs,
    getMode,
    execute: running.execute,
    provide(stored) {
      const read = readContentName(stored.toolName);
      if (read !== null) return { kind: read.kind, provided: content.toolFor(read.kind, read.server) };
      const { definition } = stored;
      // A server may have taken the endpoint's name since, and its tools have the same names.
      if (definition === null || isCatalogCall(stored)) return {};
      return { provided: parts.provideAgentTool({ ...stored, definition }) };
    },
    links: createApprovalLinkStore(foundation.db),
    owners: createApprovalOwners({ copies, bulletin: createSealedBulletin(bulletin, foundation.secretBox) }),
    getApproval: tools.getApproval,
    runsNow: tools.runsNow,
    findFaults: tools.findFaults,
    maskArguments: (definition, text) => new CallMask(definition, masking).argumentsText(text),
    onDecided: (_executionId, runId) => {
      if (runId !== null) void callDecided.emit(runId);
    },
  });
  const content = createContent(foundation, parts, running.execute);
  const executions = createExecutionService({
    running,
    calls,
    copies,
    store: executionStore,
    privateCalls,
    limits: core.limits,
    newId: newExecutionId,
    currentHash: tools.findHash,
    listTags: () => tools.list().items.map(({ name, tags }) => [name, tags]),
    listBroken: parts.listBroken,
    listAwaitingInput: async () => (await interactions.list()).flatMap(({ executionId }) => executionId ?? []),
    contentTool: content.toolFor,
    withdrawApproval: approvals.withdraw,
    lenses: { find: getLens, projector: core.lenses },
    redactor: core.redactor,
  });
  core.addInternals(parts.internals);
  const shared = { content, requireServer: servers.requireEnabled, newId: newExecutionId };
  return {
    engine: { ...core, executor },
    executions,
    approvals,
    approvalRequests: desk.requests,
    privateCalls,
    publishInOrder,
    callDecided,
    content,
    consoleContent: createConsoleContent({ ...shared, skillChanges: parts.skillGate.gate.changes }),
    apps: createAppService({
      ...shared,
      executions,
      tools: core.registry,
      connectedAt: (server, { id }) => connections.state(server, id)?.connectedAt ?? null,
    }),
  };
}

/** Resources, prompts and completions of the connected servers, for the gateway and the console. */
function createContent(
  { logger, config }: Foundation,
  { engine, known, connections, connectionEvents, catalogEvents, skills, skillGate }: CallParts,
  execute: ReturnType<typeof createRunningExecutions>["execute"],
) {
  const content = createContentService({
    connections: withOwnSkills(withSkillGate(connections, skillGate.gate), skills.ownSkills),
    execute,
    logger,
    clock: systemClock,
    settings: known.settings,
    tools: () => engine.registry.list(),
    maxStoredBytes: config.limits.maxStoredBytes ?? SERVER_TOOL_STORED_BYTES,
  });
  connectionEvents.content.on(content.onChange);
  catalogEvents.changed.on(content.toolsChanged);
  skillGate.reviewed.on(content.skillsReviewed);
  skills.skillsChanged.on((uris) => {
    content.onChange(OWN_SKILLS, { type: "resources" });
    for (const uri of uris) content.onChange(OWN_SKILLS, { type: "updated", uri });
  });
  return content;
}
