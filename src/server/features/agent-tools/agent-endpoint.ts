import type { Permission } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import { AGENT_ENDPOINT, toRecordedName } from "../../../lib/contract/agent-endpoint";
import type { AgentEndpoint } from "../../../lib/contract/agent-tools";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { AgentToolSource } from "../../engine/agent/agent-tool";
import { AppError } from "../../platform/shared/app-error";

const SETTING = "agents.endpoint";
const PATH = `/mcp/${AGENT_ENDPOINT}`;

export interface AgentEndpointPorts {
  settings: { read(key: string): Promise<string | null>; write(key: string, value: string): Promise<void> };
  /** The value of TOOLROOM_AGENT_ENDPOINT; null where it is not set. */
  variable: "on" | "off" | null;
  tools: AgentToolSource;
  /** Whether an MCP server has the name of the endpoint. */
  hasServer(): boolean;
  /** Asks the other instances to read the setting. */
  shareChange(): void;
  /** Clients and open pages read again. */
  onChange(): void;
}

/** A tool of the endpoint; the definition has the name under which its calls are recorded. */
interface ServedTool {
  name: string;
  definition: ToolDefinition;
  permission: Permission;
}

export type AgentEndpointService = ReturnType<typeof createAgentEndpoint>;

/** The switch of `/mcp/toolroom`. It is off until an admin switches it on. */
export function createAgentEndpoint(ports: AgentEndpointPorts) {
  const { settings, variable, tools, hasServer } = ports;
  let stored = false;
  let listed: readonly ServedTool[] = [];

  /** Called before the endpoint is served. */
  async function loadTools(): Promise<void> {
    if (listed.length > 0) return;
    const loaded = await tools.load();
    listed = loaded.map(({ name, definition, permission }) => ({
      name,
      permission,
      definition: { ...definition, name: toRecordedName(name) },
    }));
  }
  async function load(): Promise<void> {
    const isOn = (await settings.read(SETTING)) === "on";
    if (variable === null ? isOn : variable === "on") await loadTools();
    stored = isOn;
  }
  const isEnabled = (): boolean => (variable === null ? stored : variable === "on");
  const explain = (): string | null => {
    if (!isEnabled()) return null;
    return hasServer()
      ? `A server is named '${AGENT_ENDPOINT}' and keeps the address ${PATH}: rename the server`
      : null;
  };

  function get(): AgentEndpoint {
    const problem = explain();
    return {
      enabled: isEnabled(),
      served: isEnabled() && problem === null,
      path: PATH,
      setBy: variable === null ? "settings" : "environment",
      problem,
    };
  }

  return {
    load,
    get,
    isServed: (): boolean => isEnabled() && !hasServer(),
    /** The listed tools; the same objects each time. */
    listTools: (): readonly ServedTool[] => listed,

    /** The answer to clients while it is not served. */
    explainRefusal: (): string =>
      explain() ??
      `${PATH} is switched off. An admin can switch it on under Settings, or with TOOLROOM_AGENT_ENDPOINT=on`,

    /** Why a server must not have this name; null where it may. */
    explainServerName: (name: string): string | null =>
      name === AGENT_ENDPOINT && isEnabled()
        ? `'${name}' is the name of the endpoint ${PATH}: choose another name, or switch the endpoint off under Settings`
        : null,

    /** Called after another instance changed it. */
    async follow(): Promise<void> {
      const before = stored;
      await load();
      if (stored !== before) ports.onChange();
    },

    /** @throws AppError where the environment decides, or a server has the name */
    async set(_actor: Actor, enabled: boolean): Promise<AgentEndpoint> {
      if (variable !== null) {
        throw new AppError(
          "READ_ONLY",
          `TOOLROOM_AGENT_ENDPOINT=${variable} decides: remove the variable and restart to change it here`,
        );
      }
      if (enabled && hasServer()) {
        throw new AppError(
          "CONFLICT",
          `enabled: a server is named '${AGENT_ENDPOINT}' and has the address ${PATH}. Rename the server first`,
        );
      }
      if (enabled) await loadTools();
      await settings.write(SETTING, enabled ? "on" : "off");
      stored = enabled;
      ports.shareChange();
      ports.onChange();
      return get();
    },
  };
}
