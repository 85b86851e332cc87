import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { AGENT_ENDPOINT, toRecordedName } from "../../lib/contract/agent-endpoint";
import type { ExecutionStore } from "../calls/executions/execution-store";
import { EVERYONE } from "../calls/executions/readable-executions";
import type { ToolEngine } from "../create-tool-engine";
import type { AgentTool } from "../engine/agent/agent-tool";
import { createSettingStore } from "../features/accounts/db/setting-store";
import { createAgentEndpoint } from "../features/agent-tools/agent-endpoint";
import { createAgentToolRunner } from "../features/agent-tools/agent-tool-runner";
import { createAgentToolService } from "../features/agent-tools/agent-tool-service";
import type { KnownServers } from "../features/servers/known-servers";
import type { ToolService } from "../features/tools/tool-service";
import type { GatewayPorts } from "../mcp/gateway/gateway-ports";
import type { createAccountServices } from "./account-services";
import type { CatalogEvents } from "./catalog-services";
import type { Foundation } from "./foundation";

interface AgentToolParts {
  executionStore: Pick<ExecutionStore, "find">;
  accounts: Pick<Awaited<ReturnType<typeof createAccountServices>>, "access" | "readCallerRights">;
  known: Pick<KnownServers, "servers">;
  catalogEvents: CatalogEvents;
  tools: readonly AgentTool[];
}

export type AgentTools = ReturnType<typeof createAgentTools>;

/** Toolroom's own operations as tools, and the switch of their endpoint. */
export function createAgentTools(
  { db, env, shared, live, logger }: Foundation,
  { executionStore, accounts, known, catalogEvents, tools }: AgentToolParts,
) {
  const endpoint = createAgentEndpoint({
    settings: createSettingStore({ db }),
    variable: env.agentEndpoint,
    hasServer: () => known.servers.has(AGENT_ENDPOINT),
    shareChange: () => void shared.changed("agents"),
    onChange() {
      void catalogEvents.shown.emit();
      live.publish({ type: "system" });
    },
  });
  shared.follow("agents", endpoint.follow);
  const runner = createAgentToolRunner({
    tools,
    accounts: accounts.access.accounts,
    everyone: accounts.access.accounts ? { ...EVERYONE, name: "Everyone", token: null } : LOCAL_PRINCIPAL,
    logger,
    findCall: executionStore.find,
    readRights: accounts.readCallerRights,
  });
  return { endpoint, runner };
}

/** What `/mcp/toolroom` serves. */
export function createServedAgentTools({ endpoint, runner }: AgentTools): GatewayPorts["agentTools"] {
  const served = runner.tools.map(({ name, definition }) => ({
    name,
    definition: { ...definition, name: toRecordedName(name) },
  }));
  return {
    isServed: endpoint.isServed,
    explainRefusal: endpoint.explainRefusal,
    list: () => served,
    perform: runner.performFor,
  };
}

export const createAgents = (
  { endpoint, runner }: AgentTools,
  { engine, tools }: { engine: Pick<ToolEngine, "registry">; tools: ToolService },
) =>
  createAgentToolService({
    tools: runner.tools,
    endpoint,
    catalog: tools,
    listDefinitions: () => engine.registry.list(),
  });
