import type { LoadProblem } from "../../../lib/contract/catalog-tool";
import type { Problem } from "../../../lib/contract/problem";
import { describeProblem } from "../../../lib/contract/problem";
import { TOOL_SEPARATOR } from "../../../lib/contract/tool-definition";
import { AppError } from "../../platform/shared/app-error";
import type { Catalog } from "./catalog";

export type ServerPrefixes = ReturnType<typeof createServerPrefixes>;

/**
 * `files__read` is a tool of the server `files`: its address, its filters and its settings take all names that begin so.
 * A tool of the console, the configuration or code must not have such a name.
 */
export function createServerPrefixes(catalog: Pick<Catalog, "entries">, listServers: () => Iterable<string>) {
  function findServer(toolName: string): string | null {
    if (!toolName.includes(TOOL_SEPARATOR)) return null;
    for (const server of listServers()) if (toolName.startsWith(server + TOOL_SEPARATOR)) return server;
    return null;
  }

  const explain = (name: string): Problem[] => {
    const server = findServer(name);
    if (server === null) return [];
    const message = `'${name}' begins as the tools of the server '${server}' do: choose a name without '${server}${TOOL_SEPARATOR}'`;
    return [{ path: "name", message }];
  };

  return {
    /** Empty for a name that an own tool may have. */
    explain,

    /** @throws AppError where the name has the prefix of a server */
    assertFree(name: string): void {
      const problems = explain(name);
      if (problems.length > 0)
        throw new AppError("CONFLICT", problems.map((problem) => describeProblem(problem)).join("; "), problems);
    },

    /** Lists own tools whose names have the prefix of a server with this name. */
    listOwn: (server: string): string[] =>
      [...catalog.entries.values()]
        .filter(({ origin, definition }) => origin !== "server" && definition.name.startsWith(server + TOOL_SEPARATOR))
        .map(({ definition }) => definition.name),

    /** Tools that were there before their server, or come from the configuration or code. */
    listConflicts: (): LoadProblem[] =>
      [...catalog.entries.values()].flatMap(({ origin, originPath, definition: { name } }) => {
        const server = origin === "server" ? null : findServer(name);
        if (server === null) return [];
        const error = `The name conflicts with the tools of the server '${server}', which begin with '${server}${TOOL_SEPARATOR}': rename the tool or the server`;
        return [{ origin, source: originPath ?? origin, name, error }];
      }),
  };
}
