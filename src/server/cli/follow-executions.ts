import { setTimeout as wait } from "node:timers/promises";
import { classifyCall } from "../../lib/contract/call-class";
import { type ExecutionSummary, executionSummarySchema } from "../../lib/contract/execution";
import type { ApiClient } from "./api-client";
import type { CommandIo } from "./command-io";
import type { toFilterQuery } from "./execution-filter";

const LOOK_AGAIN_MS = 1_000;
/** Calls that begin between two looks, at most. */
const MOST_AT_ONCE = 2_000;

/**
 * Prints each call that begins from now on once it has ended, in the order of their ends, until Ctrl+C. It asks the list,
 * which has the reader's rights, so it goes on after a restart of the server.
 */
export async function followExecutions(
  api: Pick<ApiClient, "get" | "list">,
  { status, ...filter }: ReturnType<typeof toFilterQuery>,
  { signal }: Pick<CommandIo, "signal">,
  print: (call: ExecutionSummary) => Promise<void>,
): Promise<void> {
  const [newest] = await api.list<ExecutionSummary>("/executions", filter, 1);
  let seen = newest?.seq ?? 0;
  /** Ids of calls that have not ended. */
  const open = new Set<string>();
  for (;;) {
    const begun = await listAfter(api, filter, seen);
    seen = begun.at(-1)?.seq ?? seen;
    const ended = await findEnded(api, filter, open);
    for (const call of begun) if (isOpen(call)) open.add(call.id);
    for (const call of [...ended, ...begun.filter((each) => !isOpen(each))])
      if (isWanted(call, status)) await print(call);
    await wait(LOOK_AGAIN_MS, undefined, { signal });
  }
}

const isOpen = ({ status }: ExecutionSummary): boolean => status === "running" || status === "waiting";

/** The status filter is of the end, which a running call has not reached. */
function isWanted(call: ExecutionSummary, wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined) return true;
  const kind = classifyCall(call.status, call.errorKind);
  return wanted.includes(kind === "failed" ? call.status : kind);
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
      ...{ limit: cursor === undefined ? 50 : 200, cursor },
    });
    const fresh = page.items.filter(({ seq }) => seq > seen);
    found.push(...fresh);
    cursor = fresh.length < page.items.length ? null : page.nextCursor;
  }
  return found.reverse();
}

/** Takes the calls that have ended out of `open`. */
async function findEnded(
  api: Pick<ApiClient, "get" | "list">,
  filter: Parameters<ApiClient["get"]>[1],
  open: Set<string>,
): Promise<ExecutionSummary[]> {
  if (open.size === 0) return [];
  const still = await api.list<ExecutionSummary>("/executions", { ...filter, status: ["running", "waiting"] });
  const left = new Set(still.map(({ id }) => id));
  const ended: ExecutionSummary[] = [];
  for (const id of open) {
    if (left.has(id)) continue;
    open.delete(id);
    // The detail has more keys than a row of the list.
    ended.push(executionSummarySchema.parse(await api.get(`/executions/${encodeURIComponent(id)}`)));
  }
  return ended;
}
