import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { AGENT_ENDPOINT } from "../../lib/contract/agent-endpoint";
import type { ToolDefinition } from "../../lib/contract/tool-definition";
import type { StoredApproval } from "../calls/approvals/approval-store";
import type { ExecutionStore } from "../calls/executions/execution-store";
import { EVERYONE } from "../calls/executions/readable-executions";
import type { ToolEngine } from "../create-tool-engine";
import type { AgentToolSource } from "../engine/agent/agent-tool";
import type { UncatalogedTool } from "../engine/executor/execute-options";
import { ToolFailure } from "../engine/failures";
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
  tools?: AgentToolSource | undefined;
}

/** A command that only reads and writes the catalog runs none of them. */
const NO_TOOLS: AgentToolSource = { names: [], load: async () => [] };

export type AgentTools = ReturnType<typeof createAgentTools>;

/** Toolroom's own operations as tools, and the switch of their endpoint. */
export function createAgentTools(
  { db, env, shared, live, logger }: Foundation,
  { executionStore, accounts, known, catalogEvents, tools = NO_TOOLS }: AgentToolParts,
) {
  const endpoint = createAgentEndpoint({
    settings: createSettingStore({ db }),
    variable: env.agentEndpoint,
    tools,
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
  return { endpoint, runner, tools };
}

/** The tool of a call at the endpoint that was approved after its client left. No tool of the catalog takes its place. */
export function provideAgentTool(
  { endpoint, runner }: Pick<AgentTools, "endpoint" | "runner">,
  { toolName, definition, actor, tokenId }: Pick<StoredApproval, "toolName" | "actor" | "tokenId"> & ProvidedDefinition,
): UncatalogedTool {
  const found = endpoint.isServed()
    ? endpoint.listTools().find(({ definition: each }) => each.name === toolName)
    : undefined;
  if (found !== undefined) return runner.provide(found.definition, found.name, { actor, tokenId });
  const run = (): Promise<never> => Promise.reject(new ToolFailure("unavailable", endpoint.explainRefusal()));
  return { definition, run, ruledAs: "agent" };
}

interface ProvidedDefinition {
  /** As it was when the call was made. */
  definition: ToolDefinition;
}

/** The parts of `/mcp/toolroom`. */
export function createServedAgentTools({ endpoint, runner }: AgentTools): GatewayPorts["agentTools"] {
  return {
    isServed: endpoint.isServed,
    explainRefusal: endpoint.explainRefusal,
    list: endpoint.listTools,
    perform: runner.performFor,
  };
}

export const createAgents = (
  { endpoint, tools: ownTools }: AgentTools,
  { engine, tools }: { engine: Pick<ToolEngine, "registry">; tools: ToolService },
) =>
  createAgentToolService({
    tools: ownTools,
    endpoint,
    catalog: tools,
    listDefinitions: () => engine.registry.list(),
  });
