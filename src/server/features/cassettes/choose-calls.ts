import { MAX_CASSETTE_CALLS, MAX_CASSETTE_CHARS } from "../../../lib/cassette/cassette-file";
import type { CassetteChoice, NewCassette } from "../../../lib/contract/cassette";
import { getServerName, type ToolDefinition } from "../../../lib/contract/tool-definition";
import { isAppliedToResult } from "../../../lib/rules/received-execution";
import type { StoredExecution } from "../../calls/executions/execution-store";
import type { ExecutionReads } from "../../calls/executions/readable-executions";
import { invalidInput } from "../../platform/shared/app-error";
import type { CallEventStore } from "./cassette-store";
import { type FrozenCalls, freezeCalls, type ToAnswer } from "./freeze-calls";

export interface ChoicePorts {
  events: CallEventStore;
  /** Reads executions that everyone may read, since a cassette is for everyone. */
  executions: Pick<ExecutionReads, "list" | "getStored">;
  /** The tools of the catalog. */
  tools: () => readonly ToolDefinition[];
  toAnswer: ToAnswer;
  /** A call with the result that its caller received, where rules redacted or blocked it; else the same. */
  toReceived: (stored: StoredExecution) => Promise<StoredExecution>;
}

const PAGE = 200;

export const refuseField = (path: string, message: string) =>
  invalidInput("The cassette is invalid: ", [{ path, message }]);

/** Reads the calls of a choice as lines of a cassette. */
export function createCallFreezer(ports: ChoicePorts) {
  const { events, executions, tools, toAnswer, toReceived } = ports;

  /** The ids that a choice means, oldest first. @throws AppError for too many, or none */
  async function findIds({ ids, filter }: CassetteChoice): Promise<string[]> {
    if (ids !== undefined) return ids;
    if (filter === undefined) throw refuseField("filter", "choose the calls: ids, or a filter");
    const found: string[] = [];
    let cursor: Awaited<ReturnType<typeof executions.list>>["nextCursor"] = null;
    do {
      const page = await executions.list(filter, cursor ?? undefined, PAGE);
      found.push(...page.items.map(({ id }) => id));
      if (found.length > MAX_CASSETTE_CALLS) {
        throw refuseField("filter", `matches more than ${MAX_CASSETTE_CALLS} calls: narrow it`);
      }
      cursor = page.nextCursor;
    } while (cursor !== null);
    return found;
  }

  return async function freeze({ choice, tools: which }: Pick<NewCassette, "choice" | "tools">): Promise<FrozenCalls> {
    const ids = await findIds(choice);
    const found = [];
    let bytes = 0;
    for (let at = 0; at < ids.length; at += PAGE) {
      const part = await executions.getStored(ids.slice(at, at + PAGE));
      bytes += part.reduce((sum, { storedBytes }) => sum + (storedBytes ?? 0), 0);
      if (bytes > MAX_CASSETTE_CHARS) {
        throw refuseField(
          "choice",
          `these results are larger than ${MAX_CASSETTE_CHARS / 1_000_000} MB: choose fewer calls`,
        );
      }
      found.push(...(await Promise.all(part.map(toReceived))));
    }
    const inOrder = found.sort((left, right) => left.seq - right.seq);
    const servers = new Set(inOrder.flatMap(({ serverName }) => serverName ?? []));
    const others = which === "called" ? [] : tools().filter((tool) => servers.has(getServerName(tool) ?? ""));
    // What such a call reported while it ran was redacted on its way, and is stored whole.
    const known = inOrder.filter(({ ruleMatches }) => !ruleMatches.some(isAppliedToResult)).map(({ id }) => id);
    return freezeCalls({
      executions: inOrder,
      others,
      toAnswer,
      events: await events.find(known),
    });
  };
}
