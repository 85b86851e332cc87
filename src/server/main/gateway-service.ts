import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { newExecutionId } from "../../lib/execution-id";
import { aliasesByName } from "../../lib/portable-name";
import { OWN_SKILLS } from "../../lib/skill-files";
import type { createApprovalService } from "../calls/approvals/approval-service";
import { type ClientApprovalPorts, createClientApprovals } from "../calls/approvals/client-approvals";
import type { ExecutionService } from "../calls/executions/execution-service";
import type { StoredExecution } from "../calls/executions/execution-store";
import type { PrivateCalls } from "../calls/executions/private-calls";
import { EVERYONE } from "../calls/executions/readable-executions";
import { findReceived } from "../calls/executions/received-result";
import type { ToolEngine } from "../create-tool-engine";
import type { ClientObserver } from "../engine/client-ports";
import { createReadResult, toReadable } from "../engine/lens/read-result";
import type { McpConnections } from "../engine/mcp-ports";
import type { ResultRedactor } from "../engine/rules/rule-ports";
import type { Access } from "../features/accounts/access";
import type { ClientMetadata } from "../features/accounts/client-metadata";
import type { ContentService } from "../features/content/content-service";
import { createGatewaySessionStore } from "../features/gateway/db/gateway-session-store";
import { createGatewayTaskStore } from "../features/gateway/db/gateway-task-store";
import type { KnownServers } from "../features/servers/known-servers";
import type { ServerService } from "../features/servers/server-service";
import type { ToolService } from "../features/tools/tool-service";
import type { ToolsetService } from "../features/toolsets/toolset-service";
import { createGateway, type Gateway } from "../mcp/gateway/gateway-http";
import type { GatewayPorts } from "../mcp/gateway/gateway-ports";
import type { RecordedCall } from "../mcp/gateway/tasks/task-store";
import type { CatalogEvents, ServerParts } from "./catalog-services";
import type { Foundation } from "./foundation";

const OWN_CONTENTS = [OWN_SKILLS];

interface GatewayParts {
  engine: ToolEngine & Pick<ServerParts, "redactor">;
  tools: ToolService;
  toolsets: ToolsetService;
  executions: ExecutionService;
  privateCalls: Pick<PrivateCalls, "hidden">;
  catalogEvents: CatalogEvents;
  known: KnownServers;
  servers: ServerService;
  connections: McpConnections;
  content: ContentService;
  cassettes: GatewayPorts["cassettes"];
  access: Access;
  onDenied: GatewayPorts["onDenied"];
  clientMetadata: ClientMetadata | null;
  clients: ClientObserver;
  agentTools: GatewayPorts["agentTools"];
  approvals: ReturnType<typeof createApprovalService>;
  approvalRequests: ClientApprovalPorts["requests"];
  audit: ClientApprovalPorts["acting"]["audit"];
  readRole: ClientApprovalPorts["readRole"];
}

/** A result that went through a lens is stored whole, and one that was cut is not stored as it was sent. */
async function toRecordedCall(stored: StoredExecution | null, redactor: ResultRedactor): Promise<RecordedCall | null> {
  if (stored === null) return null;
  const { toolName, status, finishedAt, error, definition, resultTruncated, lens } = stored;
  const kept = (await findReceived(stored, redactor)) ?? stored;
  const resultText = resultTruncated || (lens !== null && lens.fault === null) ? null : kept.resultText;
  return { toolName, status, finishedAt, error, definition, resultText };
}

/** The catalog as one MCP server. */
export function createGatewayService(foundation: Foundation, parts: GatewayParts): Gateway {
  const { db, config, hostPolicy, logger, version } = foundation;
  const { engine, tools, executions, privateCalls, toolsets, servers, connections, content } = parts;
  const { access, clientMetadata, onDenied } = parts;
  const ownCalls = executions.readAll("a caller reads the results of its own calls");
  return createGateway({
    tools: () => engine.registry.list(),
    listedOrder: tools.listedOrder,
    toolset: toolsets.prepare,
    executor: executions,
    getLens: tools.getLens,
    // The caller's own results, of tools that it may call at this address.
    readResult: (caller) =>
      createReadResult(async (id) => {
        const stored = await ownCalls.find(id);
        const isOwn = stored?.source === "gateway" && stored.actor.id === caller.principal.id;
        if (!isOwn || !caller.admits(stored.toolName)) return null;
        const received = { ...stored, ...(await findReceived(stored, engine.redactor)) };
        const readable = toReadable(received, (input) => engine.lenses.toData(input));
        const isPrivate = (await privateCalls.hidden(EVERYONE, [id])).has(id);
        return readable && { ...readable, isPrivate };
      }),
    awaitFirstLists: servers.awaitFirstLists,
    prepare: async (name, signal) => void (await servers.explainMissing(name, signal)),
    onToolsChanged: parts.catalogEvents.shown.on,
    serverNames: parts.known.names,
    ownContents: () => OWN_CONTENTS,
    aliasNames: aliasesByName,
    serverIdentity(name) {
      const { peer, instructions } = connections.state(name) ?? { peer: null, instructions: null };
      return peer === null ? null : { info: peer, instructions };
    },
    agentTools: parts.agentTools,
    content,
    cassettes: parts.cassettes,
    ...(config.approvals.inClient && {
      approvals: createClientApprovals({
        requests: parts.approvalRequests,
        approvals: parts.approvals,
        acting: { audit: parts.audit, answered: foundation.shared.answered },
        readRole: parts.readRole,
      }),
    }),
    sessions: createGatewaySessionStore({ db }),
    ...(foundation.forwarding !== null && { forwarding: foundation.forwarding }),
    tasks: {
      store: createGatewayTaskStore({ db }),
      find: async (id) => await toRecordedCall(await ownCalls.find(id), engine.redactor),
      summary: ownCalls.summary,
      cancel: async (principal, id) => void (await executions.cancel(principal, id)),
    },
    hostPolicy,
    logger,
    newId: newExecutionId,
    version,
    authenticate: (headers, path) =>
      access.accounts ? access.authenticate(headers, "gateway", path) : LOCAL_PRINCIPAL,
    ...(access.accounts && { enter: (headers, path) => access.enter(headers, "gateway", path) }),
    onAccessChange: access.onChange,
    signInMetadata: clientMetadata?.metadataUrl,
    onDenied,
    clients: parts.clients,
    limits: { approvalWaitMs: config.approvals.gatewayWaitMs },
    fastPath: foundation.env.fastPath,
    ...(foundation.telemetry !== null && { telemetry: foundation.telemetry.gateway }),
  });
}
