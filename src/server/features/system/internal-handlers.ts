import { type ExecutionFilter, executionFilterSchema } from "../../../lib/contract/execution";
import type { ExecutionService } from "../../calls/executions/execution-service";
import type { ExecutionReads } from "../../calls/executions/readable-executions";
import type { Handlers } from "../../engine/ports";
import type { ServerService } from "../servers/server-service";
import type { ToolService } from "../tools/tool-service";

interface HandlerParts {
  tools: Pick<ToolService, "search">;
  servers: Pick<ServerService, "list">;
  executions: Pick<ExecutionService, "overview" | "toolStats">;
  /** Everyone reads what these tools return, since it is recorded as their result. */
  reads: Pick<ExecutionReads, "list" | "get">;
}

/** The product's own services as tools. */
export function createInternalHandlers({ tools, servers, executions, reads }: HandlerParts): Handlers {
  return {
    search_tools: (args) => {
      const query = typeof args.query === "string" ? args.query : "";
      const found = tools.search(query, wholeNumber(args.limit, 20, 1, 100, "limit"));
      return { query, count: found.length, tools: found };
    },
    list_servers: () => {
      const listed = servers.list().items.map(({ name, title, transport, enabled, state, toolCount, problemCount }) => {
        const { status, reason, protocolVersion } = state;
        return { name, title, transport, enabled, status, reason, protocolVersion, toolCount, problemCount };
      });
      return { count: listed.length, servers: listed };
    },
    search_executions: async (args) => {
      const { limit, ...filter } = args;
      const page = await reads.list(readFilter(filter), undefined, wholeNumber(limit, 20, 1, 100, "limit"));
      return { count: page.items.length, executions: page.items };
    },
    get_execution: async (args) => {
      if (typeof args.id !== "string") throw new Error("id must be an execution id such as exec_7hJ2…");
      const { definition: _definition, children, ...execution } = await reads.get(args.id);
      return { ...execution, children: children.map(({ id }) => id) };
    },
    execution_stats: async (args) => {
      if (args.tool === undefined) return await executions.overview(wholeNumber(args.days, 7, 1, 90, "days"), "UTC");
      if (typeof args.tool !== "string") throw new Error("tool must be a tool's name");
      return { tool: args.tool, ...(await executions.toolStats(args.tool)) };
    },
  };
}

function readFilter(candidate: object): ExecutionFilter {
  const parsed = executionFilterSchema.strict().safeParse(candidate);
  if (parsed.success) return parsed.data;
  throw new Error(
    parsed.error.issues.map((issue) => `${issue.path.join(".") || "filter"}: ${issue.message}`).join("; "),
  );
}

function wholeNumber(value: unknown, fallback: number, least: number, most: number, name: string): number {
  if (value === undefined) return fallback;
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most) {
    throw new Error(`${name} must be an integer from ${least} to ${most}`);
  }
  return value as number;
}
