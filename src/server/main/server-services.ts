import { randomUUID } from "node:crypto";
import path from "node:path";
import { AUTOMATION, LOCAL_OWNER } from "../../lib/contract/actor";
import { AGENT_ENDPOINT } from "../../lib/contract/agent-endpoint";
import type { ConnectionState } from "../../lib/contract/connection-state";
import { isAllowedHost, listensOnLoopback } from "../../lib/http-guard/host-policy";
import { PLATFORM } from "../../lib/platform";
import { ConsoleViewers } from "../calls/interactions/console-viewers";
import { createInteractionService, type InteractionService } from "../calls/interactions/interaction-service";
import { type EngineParts, systemClock } from "../create-tool-engine";
import type { AskedInput, McpConnectionEvents, McpConnections, ServerQuestion } from "../engine/mcp-ports";
import type { Masking } from "../engine/ports";
import type { UserIdentityService } from "../features/accounts/user-identities";
import type { AgentEndpointService } from "../features/agent-tools/agent-endpoint";
import type { SkillGate } from "../features/content/gate/skill-gate";
import type { SamplingService } from "../features/sampling/sampling-service";
import { createServerStore } from "../features/servers/db/server-store";
import { createUpstreamCredentialStore } from "../features/servers/db/upstream-credential-store";
import { createInstanceStates } from "../features/servers/instance-states";
import type { KnownServers } from "../features/servers/known-servers";
import type { OtherInstances, ServerServicePorts } from "../features/servers/server-ports";
import { createServerService } from "../features/servers/server-service";
import { createSignInLinks } from "../features/servers/sign-in-links";
import { createUpstreamCredentialService } from "../features/servers/upstream-credential-service";
import type { ToolService } from "../features/tools/tool-service";
import { createMcpConnections } from "../mcp/client/mcp-connections";
import { strayProcesses } from "../mcp/client/process/stray-processes";
import { findServerFolder } from "../mcp/client/server-folder";
import { createSingleServers } from "../mcp/client/single/single-servers";
import { createOpenApiConnections } from "../openapi/openapi-connections";
import { createTopic } from "../platform/coordination/bulletin";
import { runExclusively } from "../platform/coordination/run-exclusively";
import { createSealedBulletin } from "../platform/coordination/sealed-bulletin";
import { createEvent, type Event } from "../platform/shared/event";
import { createConfigTextParser } from "../platform/workers/config-text-parser";
import { decideClientDocument } from "./client-sign-in";
import type { Env } from "./env";
import type { Foundation } from "./foundation";

/** Stored bytes of a result unless configured: larger than for other tools, so that a screenshot in base64 fits. */
export const SERVER_TOOL_STORED_BYTES = 4_194_304;

/** The time between SIGTERM and SIGKILL, for processes that an earlier Toolroom left running. */
const ABANDONED_GRACE_MS = 1000;

/** The first pages of a start come before what is not needed for them. */
const QUIET_START_MS = 3_000;

export type ConnectionEvents = ReturnType<typeof createConnectionEvents>;

/** The listeners of connections. The services that follow them use the connections themselves, so they come later. */
function createConnectionEvents() {
  return {
    state: createEvent<Parameters<McpConnectionEvents["onState"]>>(),
    tools: createEvent<Parameters<McpConnectionEvents["onTools"]>>(),
    log: createEvent<Parameters<McpConnectionEvents["onLog"]>>(),
    content: createEvent<Parameters<McpConnectionEvents["onContent"]>>(),
  };
}

interface ConnectionParts {
  personal: PersonalParts;
  interactions: InteractionService;
  sampling: SamplingService;
  onAsked: (asked: AskedInput) => void;
}

export function createConnections(
  foundation: Foundation,
  { personal, interactions, sampling, onAsked }: ConnectionParts,
) {
  const { env, db, config, logger, secretBox, secrets, version, addresses, masking, telemetry } = foundation;
  const serverStore = createServerStore({ db, secretBox, clock: systemClock });
  const openApi = createOpenApiConnections(env.home);
  const common = {
    logger,
    clock: systemClock,
    variables: env.variables,
    home: env.home,
    rootDir: env.rootDir,
    addresses,
    secrets,
  };
  const connectionEvents = createConnectionEvents();
  const { state, tools, log, content } = connectionEvents;
  const { forwarding } = foundation;
  const { locks, bulletin } = foundation.coordination;
  const single = forwarding === null ? null : createSingleServers({ locks, bulletin, forwarding, logger });
  const connections = createMcpConnections({
    ...common,
    getFolder: (server) => findServerFolder(path.join(env.database.folder, "servers"), server, PLATFORM),
    clientDocument: decideClientDocument(env) ?? undefined,
    passedVariables: config.serverEnvironment,
    api: openApi.create,
    events: { onState: state.emit, onTools: tools.emit, onLog: log.emit, onContent: content.emit },
    credentials: {
      ...serverStore.credentials,
      exclusively: (server, work) => runExclusively(foundation.coordination.locks, `sign-in:${server}`, work),
    },
    personal,
    ...(single !== null && { single }),
    protocols: serverStore.protocols,
    interactions: { ask: (question, signal) => interactions.broker.ask(maskQuestion(question, masking), signal) },
    sampling: sampling.responder,
    onAsked,
    quietUntil: systemClock.elapsed() + QUIET_START_MS,
    client: { name: "toolroom", version },
    fastPath: env.fastPath,
    ...(telemetry !== null && { telemetry: telemetry.client }),
  });
  const instanceLogs = single?.openLogs(connections) ?? null;
  return {
    serverStore,
    connections,
    connectionEvents,
    single,
    instanceLogs,
    documents: openApi.documents(common),
  };
}

/** Masks what users read. A form's schema and an address stay as the server sent them. */
function maskQuestion(question: ServerQuestion, masking: Pick<Masking, "inText" | "inJson">): ServerQuestion {
  const { request } = question;
  const message = masking.inText(request.message);
  const masked =
    request.kind === "sampling"
      ? { ...request, message, paramsText: masking.inJson(request.paramsText) }
      : { ...request, message };
  return { ...question, request: masked };
}

/** The requests for input that servers send while their calls run. */
export function createInteractions(
  { live, coordination, secretBox }: Foundation,
  { validator, limits }: EngineParts,
  findRunId: (executionId: string) => Promise<string | null>,
) {
  const { copies, bulletin } = coordination;
  const viewers = new ConsoleViewers({ copies, bulletin });
  const interactions = createInteractionService({
    viewers,
    validator,
    limits,
    clock: systemClock,
    copies,
    bulletin: createSealedBulletin(bulletin, secretBox),
    newId: () => `ask_${randomUUID()}`,
    onChange: () => live.publish({ type: "interactions" }),
    findRunId,
  });
  return { viewers, interactions };
}

interface ServerParts extends ReturnType<typeof createConnections> {
  known: KnownServers;
  tools: ToolService;
  personal: PersonalParts;
  userLeft: Event<[userId: string]>;
  identityKept: Event<[userId: string]>;
  offline: boolean;
  reports: ServerServicePorts["reports"];
  skillGate: { gate: Pick<SkillGate, "count"> };
  agentEndpoint: AgentEndpointService;
  tokenNeeds: ServerServicePorts["tokenNeeds"];
}

/** MCP servers, and users' own credentials for them. */
export function createServerServices(foundation: Foundation, parts: ServerParts) {
  const { serverStore: store, connections, connectionEvents, instanceLogs, documents, known, tools } = parts;
  const { personal, offline } = parts;
  const { env, logger, live, shared, config, masking } = foundation;
  const data = env.database.folder;
  const configTexts = createConfigTextParser({ home: env.home });
  known.policyChanged.on((detail) => {
    const onShared = (): void => {
      live.publish({ type: "tools" });
      live.publish({ type: "approvals" });
    };
    void shared.changed("servers", { detail, onShared });
  });
  const { copies, bulletin } = foundation.coordination;
  const publishServer = (server: string): void => live.publish({ type: "servers", server });
  const others: OtherInstances | undefined =
    instanceLogs === null
      ? undefined
      : {
          logs: instanceLogs,
          states: createInstanceStates({
            copies,
            bulletin,
            onChange: publishServer,
            read: () => known.names().flatMap((name) => toSharedState(connections, known, name)),
          }),
          tellSignIn: (server) => bulletin.post(SIGN_IN_CHANGED, { server }),
        };
  const servers = createServerService({
    connections,
    documents,
    offline,
    pause: foundation.pause,
    known,
    store,
    others,
    reports: parts.reports,
    countSkillChanges: parts.skillGate.gate.count,
    parseConfigText: configTexts.parse,
    setServerTools: tools.setServerTools,
    schemaNotes: tools.schemaNotes,
    forgetServerTools: tools.forgetServerTools,
    isSwitchedOff: tools.isSwitchedOff,
    getApproval: tools.getApproval,
    keptApprovals: tools.keptApprovals,
    listOwnTools: tools.listOwnTools,
    explainName: parts.agentEndpoint.explainServerName,
    isOtherAddress: (name) => name === AGENT_ENDPOINT && parts.agentEndpoint.isServed(),
    renameServerTools: tools.renameServerTools,
    isOwnOrigin: (origin) => isAllowedHost(new URL(origin).host, foundation.hostPolicy),
    configured: { entries: config.mcpServers, path: config.path },
    variables: env.variables,
    maxStoredBytes: config.limits.maxStoredBytes ?? SERVER_TOOL_STORED_BYTES,
    rootDir: env.rootDir,
    installation: {
      home: env.home,
      data,
      databaseUrl: env.database.url,
      config: env.configPath,
      isContainer: env.isContainer,
      platform: PLATFORM,
    },
    tokenNeeds: parts.tokenNeeds,
    getMask: (secret) => masking.getMask(JSON.stringify(secret)),
    clock: systemClock,
    logger,
    publish: live.publish,
    shareChange: (detail, onShared) => void shared.changed("servers", { detail, ...(onShared && { onShared }) }),
  });
  shared.follow("servers", servers.follow);
  connectionEvents.state.on(servers.events.onState);
  connectionEvents.tools.on(servers.events.onTools);
  connectionEvents.log.on(servers.events.onLog);
  bulletin.on(SIGN_IN_CHANGED, ({ server }) => servers.followSignIn(server));
  const credentials = createUpstreamCredentialService({
    store: personal.credentials,
    connections,
    tellInstances: async (user) => void (await shared.changed("credentials", { detail: user })),
    getSettings: (name) => known.find(name).settings,
    requireEnabled: servers.requireEnabled,
    isUser: personal.isUser,
    identities: personal.identities ?? null,
    links: personal.links,
    publish: publishServer,
  });
  shared.follow("credentials", (user) => {
    if (user === null) return undefined;
    personal.identities?.refresh(user);
    return connections.credentialsChanged(user);
  });
  parts.userLeft.on(credentials.identityChanged);
  parts.identityKept.on(credentials.identityChanged);
  let recording: NodeJS.Timeout | undefined;
  let recorded: Promise<void> | undefined;
  return {
    servers,
    credentials,
    async close(): Promise<void> {
      clearTimeout(recording);
      await recorded;
      await configTexts.close();
    },
    async load(): Promise<void> {
      // Done before the servers start again, since processes that are left may hold their ports and locks.
      const abandoned = await strayProcesses.takeOver(path.join(data, "processes"), ABANDONED_GRACE_MS);
      if (abandoned > 0) {
        const message = "Ended processes left running by the MCP servers of an earlier Toolroom process";
        logger.warn({ processes: abandoned }, message);
      }
      await servers.load();
      recording = setTimeout(() => {
        recorded = tools.recordRestored();
      }, QUIET_START_MS).unref();
    },
  };
}

/** The sign-in of a server that all its users share was finished or ended. */
const SIGN_IN_CHANGED = createTopic<{ server: string }>("servers.sign_in");

function toSharedState(
  connections: McpConnections,
  known: KnownServers,
  name: string,
): [server: string, state: ConnectionState][] {
  const state = known.find(name).settings.credentials?.mode === "personal" ? null : connections.state(name);
  return state === null ? [] : [[name, state]];
}

export type PersonalParts = ReturnType<typeof createPersonalParts>;

/** The functions for each user's credentials that connections need. */
export function createPersonalParts(
  { db, secretBox, env, coordination }: Foundation,
  accounts: boolean,
  identities: UserIdentityService | null,
) {
  const console = consoleAddress(env);
  const links = createSignInLinks({
    now: systemClock.now,
    bulletin: createSealedBulletin(coordination.bulletin, secretBox),
    getPage: (id) => (console === null ? null : `${console}/oauth/connect/${id}`),
  });
  return {
    links,
    identities: identities ?? undefined,
    openSignInPage: links.open,
    credentials: {
      ...createUpstreamCredentialStore({ db, secretBox, clock: systemClock, localOwner: LOCAL_OWNER }),
      exclusively: <T>(server: string, user: string, work: () => Promise<T>): Promise<T> =>
        runExclusively(coordination.locks, `sign-in:${JSON.stringify([server, user])}`, work),
    },
    /** While accounts are off the local owner is the one user; with accounts no request acts as the local owner. */
    isUser: (id: string): boolean => (accounts ? id !== LOCAL_OWNER.id && id !== AUTOMATION.id : id === LOCAL_OWNER.id),
    getPage(server: string): string {
      const path = `/servers/${encodeURIComponent(server)}`;
      return console === null ? `open ${path} in the console` : `${console}${path}`;
    },
  };
}

/** Null where only a browser knows the address: it listens on all, behind a proxy without `TOOLROOM_PUBLIC_URL`. */
function consoleAddress({ publicUrl, host, port }: Pick<Env, "publicUrl" | "host" | "port">): string | null {
  if (publicUrl !== null) return publicUrl.replace(/\/$/, "");
  return listensOnLoopback(host) && port !== 0 ? `http://${host}:${port}` : null;
}
