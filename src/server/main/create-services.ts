import path from "node:path";
import { AGENT_ENDPOINT } from "../../lib/contract/agent-endpoint";
import { parseJsonInSlices } from "../../lib/parse-in-slices";
import { createLinkSigner } from "../calls/approvals/approval-links";
import { createExecutionStore } from "../calls/executions/db/execution-store";
import type { ExecutionService } from "../calls/executions/execution-service";
import { createIdempotencyStore } from "../calls/idempotency/db/idempotency-store";
import { createIdempotencyService } from "../calls/idempotency/idempotency-service";
import { createSpendStore } from "../calls/spend/db/spend-store";
import { createSpendService } from "../calls/spend/spend-service";
import { createStatisticsService } from "../calls/statistics/statistics-service";
import { systemClock, type ToolEngine } from "../create-tool-engine";
import type { AgentToolSource } from "../engine/agent/agent-tool";
import type { McpConnections } from "../engine/mcp-ports";
import { createBundleService } from "../features/bundles/bundle-service";
import { createIconService } from "../features/icons/icon-service";
import { createLensStore } from "../features/lenses/db/lens-store";
import { createLensService } from "../features/lenses/lens-service";
import type { RuleCaseService } from "../features/rules/rule-case-service";
import type { RuleService } from "../features/rules/rule-service";
import { createKnownServers } from "../features/servers/known-servers";
import type { ServerService } from "../features/servers/server-service";
import { createSharingStore } from "../features/sharing/db/sharing-store";
import type { SharingPorts } from "../features/sharing/sharing-ports";
import { createSharingService } from "../features/sharing/sharing-service";
import { createJobService } from "../features/system/job-service";
import { createSystemService } from "../features/system/system-service";
import type { ToolService } from "../features/tools/tool-service";
import type { ToolsetService } from "../features/toolsets/toolset-service";
import type { InstanceTiming } from "../platform/coordination/postgres/instance-timing";
import type { DatabaseClaim } from "../platform/db/database";
import { createDamagedDeletion } from "../platform/db/delete-damaged";
import { createOutgoingAgents } from "../platform/outgoing/outgoing-agents";
import { createOutgoingFetch } from "../platform/outgoing/outgoing-fetch";
import { createAccountServices } from "./account-services";
import { createAgentServices, createModels } from "./agent-services";
import { createAgents, createAgentTools, createServedAgentTools, provideAgentTool } from "./agent-tool-services";
import { createAuditParts } from "./audit-parts";
import { createCallServices } from "./call-services";
import { createCassettes } from "./cassette-services";
import { createCatalog, createTools } from "./catalog-services";
import { createChangeParts, createChanges } from "./change-services";
import {
  createAskedInputParts,
  createClientParts,
  createClients,
  createRegistry,
  createVerdicts,
} from "./client-services";
import { createConformance } from "./conformance-services";
import type { Env } from "./env";
import { createFoundation, type Foundation, type ServerLogger } from "./foundation";
import { createGatewayService } from "./gateway-service";
import { createAlerts, createMaintenanceServices, createViews, createWebhooks } from "./maintenance-services";
import { createCounts, createExplainer, createRuleCases, createRules } from "./rule-services";
import { createConnections, createInteractions, createPersonalParts, createServerServices } from "./server-services";
import { createSkillGateParts } from "./skill-gate-services";
import { createSkills } from "./skill-services";
import { createSuiteServices } from "./suite-services";

interface ServiceOptions {
  offline: boolean;
  timing?: Partial<InstanceTiming> | undefined;
  ownTools?: AgentToolSource | undefined;
}

/**
 * Constructs every area, in the order things depend on each other. Where two need one another, the later one follows an
 * event of the earlier one.
 * @param offline connects no server and continues no work: for commands that only read and write the catalog
 */
export async function createServices(
  env: Env,
  claim: DatabaseClaim,
  logger: ServerLogger,
  { offline, timing, ownTools }: ServiceOptions,
) {
  const foundation = await createFoundation(env, claim, logger, timing);
  const { db, coordination } = foundation;
  const audit = await createAuditParts(foundation);
  const executionStore = createExecutionStore({
    db,
    logger: foundation.logger,
    instanceId: foundation.instanceId,
    clock: systemClock,
    recordDeleted: audit.recordDeletedExecutions,
    indexWorker: offline ? undefined : path.join(env.home, "src/server/calls/executions/db/text-index-worker.mjs"),
  });
  const { engine: core, toolsets, toolsetNamed, catalogEvents, toolLenses } = createCatalog(foundation);
  const rules = createRules(foundation, {
    registry: core.registry,
    redactor: core.redactor,
    validator: core.validator,
    limits: core.limits,
    readRole: (userId) => accounts.readRole(userId),
    toStoredFilter: (filter) => executions.toStoredFilter(filter),
  });
  const known = createKnownServers();
  const accounts = await createAccountServices(foundation, audit.log, {
    names: () => [
      ...known.names(),
      ...(agentTools.endpoint.isServed() ? [AGENT_ENDPOINT] : []),
      ...toolsets.list().map(({ name }) => `sets/${name}`),
    ],
    hasToolset: toolsets.has,
  });
  toolsetNamed.on(accounts.provisioning.followToolset);
  const { access, clientMetadata, people, account, tokens, accessRules, findActive, namesChanged, userLeft } = accounts;
  const { identities, identityKept } = accounts;
  const agentTools = createAgentTools(foundation, { executionStore, accounts, known, catalogEvents, tools: ownTools });
  const { tools, versions, ...catalog } = createTools(foundation, {
    toolLenses,
    engine: core,
    toolsets,
    catalogEvents,
    known,
    accounts: { on: access.accounts, findActive, namesChanged },
  });
  const spendStore = createSpendStore(db);
  const { models, sampling, openCounted } = createModels(foundation, {
    engine: core,
    budget: rules.modelBudget,
    spend: spendStore,
  });
  const { viewers, interactions } = createInteractions(
    foundation,
    core,
    async (id) => (await executionStore.summary(id))?.runId ?? null,
  );
  const personal = createPersonalParts(foundation, accounts.mode.accounts, identities);
  const asked = createAskedInputParts(foundation);
  const connected = createConnections(foundation, { personal, interactions, sampling, onAsked: asked.note });
  const { connections, connectionEvents, single } = connected;
  const changeParts = createChangeParts(foundation);
  const skillGate = createSkillGateParts(foundation, { ...connected, known });
  const serverServices = createServerServices(foundation, {
    ...connected,
    known,
    tools,
    personal,
    userLeft,
    identityKept,
    offline,
    reports: changeParts.reports,
    skillGate,
    agentEndpoint: agentTools.endpoint,
    tokenNeeds: { http: access.accounts && clientMetadata === null, stdio: access.accounts },
  });
  const { servers, credentials } = serverServices;
  const counts = createCounts(foundation);
  const skills = createSkills(foundation);
  const calls = createCallServices(foundation, {
    engine: core,
    accounts: access.accounts,
    readRole: accounts.readRole,
    rules,
    counts,
    tools,
    known,
    servers,
    connections,
    connectionEvents,
    interactions,
    executionStore,
    catalogEvents,
    listBroken: changeParts.store.listBroken,
    internals: agentTools.runner.handlers,
    provideAgentTool: (stored) => provideAgentTool(agentTools, stored),
    skills,
    skillGate,
  });
  const { engine, executions, approvals, privateCalls, publishInOrder, callDecided, content, consoleContent, apps } =
    calls;
  const { cassettes, cassettePlayer } = createCassettes(foundation, { engine, executions });
  const changes = createChanges(foundation, {
    parts: changeParts,
    known,
    servers,
    tools,
    connections,
    executions,
    skillGate,
  });
  const conformance = createConformance(foundation, { servers, serverStore: connected.serverStore });
  const agent = await createAgentServices(foundation, {
    engine,
    tools,
    toolsets,
    executions,
    privateCalls,
    publishInOrder,
    callDecided,
    models,
    cassettes: cassettePlayer,
    budget: rules.modelBudget,
  });
  const ruleCases = createRuleCases(foundation, {
    rules,
    registry: core.registry,
    readRole: accounts.readRole,
    tools,
    executions,
  });
  const ruleExplainer = createExplainer(foundation, {
    rules,
    counts,
    registry: core.registry,
    readRole: accounts.readRole,
    tools,
    toolsets,
  });
  const { retention, storage } = createMaintenanceServices(foundation, { audit: audit.log, executionStore });
  const statistics = createStatisticsService({
    upkeep: executionStore.statisticsUpkeep,
    reads: executionStore.statistics,
    jobs: coordination.jobs,
    clock: systemClock,
    logger: foundation.logger,
  });
  const signer = createLinkSigner(foundation.secretBox.derive("approval links"));
  const webhooks = createWebhooks(foundation, { audit: audit.log, servers, signer, accounts });
  const alerts = createAlerts(foundation, { statistics, servers, tools, approvals, rules, publish: webhooks.publish });
  const suites = createSuiteServices(foundation, {
    engine,
    tools,
    toolsets,
    models,
    openModel: openCounted,
    runs: agent.runs,
    executions,
    findRunDenial: accounts.findRunDenial,
  });
  foundation.clockWatch.onSetBack(suites.followClock);
  foundation.clockWatch.onSetBack(approvals.followClock);
  const clientParts = createClientParts(foundation, { engine, tools, servers });
  await agentTools.endpoint.load();
  await catalog.load();
  await rules.load();
  await ruleCases.load();
  await skills.ownSkills.load();
  await skillGate.gate.load();
  await serverServices.load();
  if (!offline) {
    await interactions.load();
    await viewers.load();
    coordination.copies.onLost(interactions.settleLost);
    coordination.bulletin.onGap(() => {
      for (const each of [interactions, viewers]) {
        each
          .load()
          .catch((error: unknown) => foundation.logger.warn({ err: error }, "Other copies could not be asked again"));
      }
    });
    /** What an ended process, of this database or of the one that it was copied from, left to do. */
    const continueWork = async (): Promise<void> => {
      await approvals.load();
      coordination.copies.onLost(approvals.settleLost);
      await agent.continueWork();
    };
    if (foundation.pause.isPaused()) foundation.pause.onResume(continueWork);
    else await continueWork();
    await webhooks.load();
    await suites.load();
    coordination.copies.onLost(suites.settleLost);
    await conformance.settleLost();
    coordination.copies.onLost(conformance.settleLost);
    await statistics.load();
    await coordination.jobs.start();
  }
  await foundation.shared.begin();
  const gateway = createGatewayService(foundation, {
    engine,
    tools,
    toolsets,
    executions,
    privateCalls,
    catalogEvents,
    known,
    servers,
    connections,
    content,
    access,
    clientMetadata,
    cassettes: cassettePlayer,
    clients: clientParts.recorder.observer,
    agentTools: createServedAgentTools(agentTools),
    onDenied: audit.service.recordDenial,
    approvals,
    approvalRequests: calls.approvalRequests,
    audit: audit.log,
    readRole: accounts.readRole,
  });
  const system = createSystem(foundation, {
    tools,
    toolsets,
    rules,
    ruleCases,
    servers,
    models,
    executions,
    limits: engine.limits,
    accounts,
  });
  const { runs, transcripts } = agent;
  const clientVerdicts = createVerdicts(foundation, {
    servers,
    toolsets,
    ownSkills: skills.ownSkills,
    executions,
    accounts,
    gateway,
    asked,
    known,
  });
  const sharing = createSharing(foundation, {
    tools,
    servers,
    toolsets,
    skills: skills.ownSkills,
    rules,
    ruleCases,
    versions,
    checkLens: engine.lenses.check,
  });
  const services = {
    tools,
    toolsets,
    rules,
    ruleCases,
    ruleExplainer,
    lenses: createLensService({
      store: createLensStore(db),
      projector: engine.lenses,
      assertTool: (name) => void tools.get(name),
    }),
    executions,
    statistics,
    spend: createSpendService({ store: spendStore, now: systemClock.now }),
    servers,
    changes,
    conformance,
    content: consoleContent,
    ownSkills: skills.ownSkills,
    apps,
    icons: createIcons(foundation, { tools, connections }),
    interactions,
    approvals,
    system,
    runs,
    models,
    sampling,
    transcripts,
    cassettes,
    sharing,
    bundles: createBundleService({
      executions,
      journal: executionStore,
      findDefinition: (name) => tools.find(name)?.definition ?? null,
      async exportServer(principal, name) {
        if (!servers.has(name)) return null;
        const part = { format: "catalogue", tools: [], servers: [name], toolsets: [] } as const;
        return (await sharing.export(principal, part)).text;
      },
      parseJson: parseFile,
      version: foundation.version,
      clock: systemClock,
    }),
    accessRules,
    people,
    account,
    tokens,
    serviceAccounts: accounts.serviceAccounts,
    provisioning: accounts.provisioning,
    provisioningSettings: accounts.provisioningSettings,
    credentials,
    auditLog: audit.service,
    retention,
    storage,
    webhooks,
    suites,
    alerts,
    views: createViews(foundation),
    registry: createRegistry(foundation, { toolsets, servers, accounts, gateway }),
    clients: createClients({
      ...clientParts,
      verdicts: clientVerdicts,
      credentials,
      accounts,
      gateway,
      servers,
      skillGate,
    }),
    clientVerdicts,
    agents: createAgents(agentTools, { engine, tools }),
    jobs: createJobService({ jobs: coordination.jobs }),
    idempotency: createIdempotencyService({
      store: createIdempotencyStore(db),
      secret: foundation.secretBox.derive("idempotency keys"),
      now: systemClock.now,
    }),
  };
  const internal = {
    engine,
    agentToolRunner: agentTools.runner,
    executionStore,
    privateCalls,
    connections,
    single,
    viewers,
    serverServices,
    changeParts,
    agent,
    gateway,
    clientRecorder: clientParts.recorder,
    signer,
  };
  return { foundation, audit, accounts, ...internal, services };
}

function createIcons(
  { addresses }: Foundation,
  { tools, connections }: { tools: Pick<ToolService, "find">; connections: Pick<McpConnections, "state"> },
) {
  return createIconService({
    fetch: createOutgoingFetch(createOutgoingAgents(addresses)),
    findToolIcons: (name) => tools.find(name)?.definition.icons,
    findServerIcons: (name, viewer) => connections.state(name, viewer)?.peer?.icons,
    now: () => systemClock.now(),
  });
}

interface SystemParts {
  tools: ToolService;
  toolsets: ToolsetService;
  rules: RuleService;
  ruleCases: RuleCaseService;
  servers: ServerService;
  models: ReturnType<typeof createModels>["models"];
  executions: ExecutionService;
  limits: ToolEngine["limits"];
  accounts: Pick<Awaited<ReturnType<typeof createAccountServices>>, "readMode">;
}

function createSystem(
  { env, db, live, shared, version, config, coordination, pause }: Foundation,
  { tools, toolsets, rules, ruleCases, servers, models, executions, limits, accounts }: SystemParts,
) {
  const deleteDamaged = createDamagedDeletion(db);
  shared.follow("damaged", (detail) => {
    if (detail !== null) db.damaged.forget(...(JSON.parse(detail) as [kind: string, name: string]));
  });
  return createSystemService({
    version,
    database: {
      location: env.database.location,
      product: db.product,
      route: db.kind === "postgres" ? db.route : null,
      size: db.size,
      problem: () => db.watch.problem(),
      damaged: () => db.damaged.list(),
      deleteDamaged: (kind, name) =>
        tools.applyStored(async () => {
          const isDeleted = await deleteDamaged(kind, name);
          void shared.changed("damaged", { detail: JSON.stringify([kind, name]) });
          return isDeleted;
        }),
      disk: () => db.disk?.state() ?? null,
    },
    copies() {
      const travel = coordination.travel();
      if (travel === null) return null;
      const items = coordination.copies
        .list()
        .map(({ name, version: its, startedAt, isDraining }) => ({ name, version: its, startedAt, isDraining }));
      return { items, travel };
    },
    config,
    limits,
    handlers: tools.handlerNames,
    counts: executions.counts,
    catalog: { count: tools.count, listProblems: tools.listProblems },
    servers: { count: servers.count, listProblems: servers.listProblems },
    isLoaded(kind, name) {
      if (kind === "server") return servers.has(name);
      if (kind === "rule") return rules.has(name);
      if (kind === "rule case") return ruleCases.has(name);
      if (kind === "tool") return tools.has(name);
      const items = kind === "toolset" ? toolsets.list() : models.providers().items;
      return items.some((item) => item.name === name && (!("origin" in item) || item.origin === "console"));
    },
    accountMode: accounts.readMode,
    pause,
    onResumed: () => live.publish({ type: "system" }),
  });
}

/** The keys of one object: 600,000 keys block the event loop for a quarter of a second. */
const MAX_FILE_KEYS = 50_000;

const parseFile = (text: string): Promise<unknown> => parseJsonInSlices(text, { maxMembers: MAX_FILE_KEYS });

/** Export and import of the catalog. */
function createSharing(
  { db, secretBox }: Foundation,
  parts: Pick<
    SharingPorts,
    "tools" | "servers" | "toolsets" | "skills" | "rules" | "ruleCases" | "versions" | "checkLens"
  >,
) {
  return createSharingService({
    ...parts,
    clock: systemClock,
    parseJson: parseFile,
    store: createSharingStore({ db, secretBox, clock: systemClock }),
  });
}
