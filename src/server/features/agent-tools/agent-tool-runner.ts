import { AsyncLocalStorage } from "node:async_hooks";
import type { Principal } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import type { ExecutionSource } from "../../../lib/contract/envelope";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { AgentTool, AgentToolSource } from "../../engine/agent/agent-tool";
import type { UncatalogedTool } from "../../engine/executor/execute-options";
import { ToolFailure } from "../../engine/failures";
import type { Handler, Handlers, Logger, ToolContext } from "../../engine/ports";
import { findAppError } from "../../platform/shared/app-error";

/** A tool that replays a call of such a tool, which replays another: it ends here. */
const MAX_DEPTH = 2;

/** Sources of calls that a user makes directly, or whose token is recorded with the call. */
const DIRECT_SOURCES: readonly ExecutionSource[] = ["console", "api", "gateway"];

export interface AgentToolPorts {
  tools: AgentToolSource;
  logger: Logger;
  /** Whether users have accounts: otherwise everyone is the local owner. */
  accounts: boolean;
  /** Reads what everyone may read. */
  everyone: Principal;
  /** The origin of the call that runs the tool; null for one that is not recorded. */
  findCall(executionId: string): Promise<{ source: ExecutionSource; tokenId: string | null } | null>;
  /** The rights that a user has now with a token. @throws AppError DENIED where there are none */
  readRights(actor: Actor, tokenId: string | null): Promise<Principal>;
}

interface AgentCaller {
  actor: Actor;
  tokenId: string | null;
}

/** The parts that exist once the whole server does. */
export interface AgentToolDoors {
  servicesFor(reader: Principal): object;
  stopping: AbortSignal;
}

/**
 * Runs operations as tools. In the catalog a result is read by everyone who reads executions, so a tool reads what everyone
 * may read; at the endpoint it has all rights of its caller, and the call is private.
 */
export function createAgentToolRunner({ tools, logger, accounts, everyone, findCall, readRights }: AgentToolPorts) {
  const depth = new AsyncLocalStorage<number>();
  let doors: AgentToolDoors | null = null;

  async function perform(
    tool: AgentTool,
    args: object,
    { caller, readsAs }: { caller: Principal; readsAs: Principal | null },
  ): Promise<unknown> {
    const level = (depth.getStore() ?? 0) + 1;
    if (level > MAX_DEPTH) {
      throw new ToolFailure(
        "tool_error",
        `${tool.name} was called by a call of Toolroom's own tools that another one made: such calls end at ${MAX_DEPTH} levels`,
      );
    }
    if (doors === null) throw new ToolFailure("unavailable", "Toolroom is still starting: call the tool again");
    const { servicesFor, stopping } = doors;
    const services = servicesFor(readsAs ?? caller);
    try {
      return await depth.run(level, () => tool.perform({ caller, readsAs, services, stopping }, args));
    } catch (error) {
      const refusal = findAppError(error);
      if (refusal !== null) throw new ToolFailure("tool_error", refusal.message);
      logger.error({ err: error, tool: tool.name }, "A tool of Toolroom's own failed unexpectedly");
      throw new ToolFailure("tool_error", "An internal error; the server's log has it");
    }
  }

  const readCaller = (actor: Actor, tokenId: string | null): Promise<Principal> =>
    readRights(actor, tokenId).catch((error: unknown) => {
      throw new ToolFailure("tool_error", findAppError(error)?.message ?? "The rights of the caller could not be read");
    });

  async function performInCatalog(tool: AgentTool, args: object, context: ToolContext): Promise<unknown> {
    const call = await findCall(context.executionId);
    const caller = await readCaller(context.actor, call?.tokenId ?? null);
    const isDirect = !accounts || (call !== null && DIRECT_SOURCES.includes(call.source));
    const limited = isDirect || call?.tokenId != null ? caller : { ...caller, token: RUN_SCOPE };
    return await perform(tool, args, { caller: limited, readsAs: everyone });
  }

  async function findTool(wanted: string): Promise<AgentTool> {
    const tool = (await tools.load()).find(({ name }) => name === wanted);
    if (tool === undefined) throw new Error(`No operation is a tool with the name ${wanted}`);
    return tool;
  }

  /** Handlers that definitions of the catalog name. */
  const handlers: Handlers = Object.fromEntries(tools.names.map((name) => [name, createHandler(name)]));

  function createHandler(name: string): Handler {
    const handle = async (args: Record<string, unknown>, context: ToolContext): Promise<unknown> => {
      // Definitions that users made while one handler had both functions.
      if (name === "execution_stats" && args.tool !== undefined) {
        return await performInCatalog(await findTool("tool_stats"), { tool: args.tool }, context);
      }
      return await performInCatalog(await findTool(name), args, context);
    };
    return Object.assign(handle, { loadParameters: async () => (await findTool(name)).definition.parameters });
  }

  /** Performs at the endpoint, with the rights that the caller has there. The call is private, since its result may be. */
  async function performFor(caller: Principal, name: string, args: object, context: ToolContext): Promise<unknown> {
    context.usePersonalCredential();
    return await perform(await findTool(name), args, { caller, readsAs: null });
  }

  return {
    handlers,

    /** Connects the tools, which can be called from then on. */
    open(opened: AgentToolDoors): void {
      doors = opened;
    },

    performFor,

    /** Provides a tool of the endpoint for a call that was approved after its client left: with the rights that its caller has now. */
    provide(definition: ToolDefinition, name: string, { actor, tokenId }: AgentCaller): UncatalogedTool {
      return {
        definition,
        ruledAs: "agent",
        run: async (args, context) => performFor(await readCaller(actor, tokenId), name, args, context),
      };
    },
  };
}

/** Another program may have started the run, the suite or the replay with a token that ends at this scope. */
const RUN_SCOPE: Principal["token"] = {
  id: "run",
  name: "A run or suite",
  scopes: ["run"],
  tools: null,
  servers: null,
};
