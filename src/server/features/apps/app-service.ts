import { getUiResource, isVisibleTo } from "../../../lib/apps/tool-app";
import type { Actor } from "../../../lib/contract/actor";
import type { AppDocument, AppRequest } from "../../../lib/contract/app";
import type { ExecutionDetail } from "../../../lib/contract/execution";
import { getServerName, type ToolDefinition } from "../../../lib/contract/tool-definition";
import { catalogToolName } from "../../../lib/portable-name";
import { asReceived } from "../../../lib/rules/received-execution";
import type { ExecutionService } from "../../calls/executions/execution-service";
import { listTool } from "../../engine/registry/list-tool";
import { AppError, invalidInput, isAppError } from "../../platform/shared/app-error";
import { toRefusalOfEnvelope } from "../../platform/shared/upstream-error";
import type { ContentService } from "../content/content-service";
import { createAppDocuments, keepNewest } from "./app-documents";

interface Ports {
  executions: Pick<ExecutionService, "readAll" | "run">;
  content: Pick<ContentService, "read" | "listNow" | "listen">;
  /** @throws AppError for an unknown server */
  requireServer: (name: string) => unknown;
  /** When the actor's connection to a server was made; null where there is none. */
  connectedAt: (server: string, actor: Actor) => number | null;
  tools: { get(name: string): ToolDefinition | undefined; list(): readonly ToolDefinition[] };
  newId: () => string;
}

/** The call whose App is shown: it decides which server the App's own calls go to. */
interface Origin {
  executionId: string;
  server: string;
  uri: string;
  tool: Record<string, unknown>;
}

export interface AppCall {
  /** The execution that the App shows. */
  executionId: string;
  /** The server's own name of the tool. */
  tool: string;
  argumentsText: string;
  /** The id to record the call under. */
  callExecutionId: string;
}

const MAX_ORIGINS = 500;
/** How long to wait; after that the call is followed by its id. */
const WAIT_MS = 10_000;

/** MCP Apps in the console: the documents of tools that have one, and what these ask of their server. */
export function createAppService({ executions, content, requireServer, connectedAt, tools, newId }: Ports) {
  const origins = new Map<string, Origin>();
  const { get } = executions.readAll("an App is found by the definition of its tool");
  const documents = createAppDocuments({ content, connectedAt, newId });

  async function getOrigin(executionId: string): Promise<Origin> {
    const known = origins.get(executionId);
    if (known !== undefined) return known;
    const origin = toOrigin(await get(executionId));
    keepNewest(origins, executionId, origin, MAX_ORIGINS);
    return origin;
  }

  /** The server of an App; its own error says where to add a server that is gone. */
  function requireOwner({ server }: Origin): void {
    try {
      requireServer(server);
    } catch (error) {
      if (isAppError(error) && error.code !== "NOT_FOUND") throw error;
      const message = `The MCP server '${server}' is no longer registered. Add it again under Servers to use this App`;
      throw new AppError("NOT_FOUND", message);
    }
  }

  return {
    /** Read from its server once for a connection and a tool; `fresh` reads it again. */
    async open(
      actor: Actor,
      { executionId, fresh = false }: { executionId: string; fresh?: boolean },
    ): Promise<AppDocument> {
      const origin = await getOrigin(executionId);
      requireOwner(origin);
      const { server, uri, tool } = origin;
      return { ...(await documents.read(actor, server, uri, fresh)), uri, server, tool };
    },

    /** A call that an App makes: of a tool of its own server, in the name of the user who looks at it. */
    async callTool(
      actor: Actor,
      { executionId, tool, argumentsText, callExecutionId }: AppCall,
    ): Promise<ExecutionDetail> {
      const origin = await getOrigin(executionId);
      const { server, uri } = origin;
      const definition = tools.get(catalogToolName(server, tool));
      if (definition === undefined || getServerName(definition) !== server || ownName(definition) !== tool) {
        requireOwner(origin);
        throw new AppError("NOT_FOUND", `${server} has no enabled tool '${tool.slice(0, 128)}'`);
      }
      if (!isVisibleTo(definition, "app")) {
        throw new AppError("DENIED", `'${tool.slice(0, 128)}' is not for Apps: its server shows it to models only`);
      }
      const caller = { client: uri.slice(0, 200), callId: executionId };
      const request = {
        tool: definition.name,
        argumentsText,
        executionId: callExecutionId,
        waitMs: WAIT_MS,
        ...caller,
      };
      // The caller receives the result like a model: an App is the code of its server, not of the user.
      return asReceived(await executions.run(actor, request, "app"));
    },

    /** Handles requests of an App for lists and contents of its own server. */
    async request(
      actor: Actor,
      { executionId, method, uri }: { executionId: string; method: AppRequest; uri?: string | undefined },
    ): Promise<unknown> {
      const origin = await getOrigin(executionId);
      requireOwner(origin);
      const { server } = origin;
      if (method === "tools/list") return { tools: listTools(server) };
      if (method === "resources/list") return { resources: await content.listNow(server, "resources", actor) };
      if (method === "resources/templates/list") {
        return { resourceTemplates: await content.listNow(server, "resourceTemplates", actor) };
      }
      if (uri === undefined) throw invalidInput("uri ", [{ path: "uri", message: "is required" }]);
      const caller = { client: origin.uri.slice(0, 200), callId: executionId };
      const envelope = await content.read(server, uri, { source: "app", actor, executionId: newId(), ...caller });
      if (!envelope.success) throw toRefusalOfEnvelope(envelope);
      return envelope.result;
    },
  };

  function listTools(server: string): unknown[] {
    const own = tools.list().filter((each) => getServerName(each) === server && isVisibleTo(each, "app"));
    return own.map((definition) => listTool(definition, ownName(definition)));
  }
}

function toOrigin({ id, definition }: ExecutionDetail): Origin {
  const uri = definition === null ? null : getUiResource(definition);
  const server = definition === null ? null : getServerName(definition);
  if (definition === null || uri === null || server === null) {
    throw new AppError("NOT_FOUND", "The tool of this execution has no App");
  }
  if (!uri.startsWith("ui://")) {
    throw new AppError(
      "CONFLICT",
      `The tool names '${uri.slice(0, 300)}' for its App. Its server has to name a ui:// resource`,
    );
  }
  return { executionId: id, server, uri, tool: listTool(definition, ownName(definition)) };
}

function ownName({ name, implementation }: ToolDefinition): string {
  return implementation.type === "mcp" ? implementation.tool : name;
}
