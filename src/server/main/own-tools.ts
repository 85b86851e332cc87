import type { AgentTool, AgentToolSource } from "../engine/agent/agent-tool";

let loading: Promise<readonly AgentTool[]> | null = null;

/**
 * Toolroom's own tools for agents. A server that runs none of them does not load their declarations, which name every operation
 * with its schemas.
 */
export const OWN_TOOLS: AgentToolSource = {
  names: [
    "search_tools",
    "search_executions",
    "what_failed",
    "execution_stats",
    "tool_stats",
    "get_execution",
    "replay_execution",
    "list_clients",
    "explain_missing_tool",
    "check_client",
    "explain_call",
    "list_servers",
    "save_test",
  ],
  load() {
    loading ??= loadTools();
    return loading;
  },
};

async function loadTools(): Promise<readonly AgentTool[]> {
  const [{ toAgentTools }, { OPERATIONS }] = await Promise.all([
    import("../platform/api/agent-tool"),
    import("./api/operations"),
  ]);
  return toAgentTools(OPERATIONS);
}
