import { setTimeout as wait } from "node:timers/promises";
import { classifyCall, toClasses } from "../../lib/contract/call-class";
import { type ExecutionSummary, executionSummarySchema } from "../../lib/contract/execution";
import type { ApiClient } from "./api-client";
import { EXIT, isCommandError } from "./command-error";
import type { CommandIo } from "./command-io";
import type { toFilterQuery } from "./execution-filter";
import { write } from "./output";

const LOOK_AGAIN_MS = 1_000;
/** The most calls that may begin between two checks. */
const MOST_AT_ONCE = 2_000;

/**
 * Prints each call that begins from now on once it has ended, in the order of their ends, until Ctrl+C. It asks the
 * list, which has the reader's rights, so it continues after a restart of the server.
 */
export async function followExecutions(
  api: Pick<ApiClient, "get" | "list">,
  { status, ...filter }: ReturnType<typeof toFilterQuery>,
  { signal, stderr }: Pick<CommandIo, "signal" | "stderr">,
  print: (call: ExecutionSummary) => Promise<void>,
): Promise<void> {
  const [newest] = await api.list<ExecutionSummary>("/executions", filter, 1);
  const position: Position = { seen: newest?.seq ?? 0, open: new Set() };
  let isAway = false;
  for (;;) {
    try {
      for (const call of await takeEnded(api, filter, position)) if (isWanted(call, status)) await print(call);
      isAway = false;
    } catch (error) {
      if (signal.aborted || !isCommandError(error) || error.exitCode !== EXIT.unreachable) throw error;
      if (!isAway) await write(stderr, `${error.message} Waiting for it.\n`);
      isAway = true;
    }
    await wait(LOOK_AGAIN_MS, undefined, { signal });
  }
}

interface Position {
  /** The `seq` of the newest call that was checked. */
  seen: number;
  /** Ids of calls that have not ended. */
  open: Set<string>;
}

/** The calls that have ended since the position, which moves only when all of them were read. */
async function takeEnded(
  api: Pick<ApiClient, "get" | "list">,
  filter: Parameters<ApiClient["get"]>[1],
  position: Position,
): Promise<ExecutionSummary[]> {
  const begun = await listAfter(api, filter, position.seen);
  const ended = await findEnded(api, filter, position.open);
  position.seen = begun.at(-1)?.seq ?? position.seen;
  for (const { id } of ended) position.open.delete(id);
  for (const call of begun) if (isOpen(call)) position.open.add(call.id);
  return [...ended, ...begun.filter((call) => !isOpen(call))];
}

const isOpen = ({ status }: ExecutionSummary): boolean => status === "running" || status === "waiting";

/** The status filter is of the end, which a running call has not reached. */
function isWanted(call: ExecutionSummary, wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined) return true;
  return toClasses(wanted).has(classifyCall(call));
}

/** Oldest first. */
async function listAfter(
  api: Pick<ApiClient, "get">,
  filter: Parameters<ApiClient["get"]>[1],
  seen: number,
): Promise<ExecutionSummary[]> {
  const found: ExecutionSummary[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null && found.length < MOST_AT_ONCE) {
    const page: { items: ExecutionSummary[]; nextCursor: string | null } = await api.get("/executions", {
      ...filter,
      limit: cursor === undefined ? 50 : 200,
      cursor,
    });
    const fresh = page.items.filter(({ seq }) => seq > seen);
    found.push(...fresh);
    cursor = fresh.length < page.items.length ? null : page.nextCursor;
  }
  return found.reverse();
}

/** The calls of `open` that have ended. */
async function findEnded(
  api: Pick<ApiClient, "get" | "list">,
  filter: Parameters<ApiClient["get"]>[1],
  open: ReadonlySet<string>,
): Promise<ExecutionSummary[]> {
  if (open.size === 0) return [];
  const still = await api.list<ExecutionSummary>("/executions", { ...filter, status: ["running", "waiting"] });
  const left = new Set(still.map(({ id }) => id));
  const ended: ExecutionSummary[] = [];
  for (const id of open) {
    if (left.has(id)) continue;
    // The detail has more keys than a row of the list.
    ended.push(executionSummarySchema.parse(await api.get(`/executions/${encodeURIComponent(id)}`)));
  }
  return ended;
}
