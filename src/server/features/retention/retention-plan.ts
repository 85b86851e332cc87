import type { RetentionFinding, RetentionPolicy, RetentionRule } from "../../../lib/contract/retention";
import type { DefinitionUse, KeptExecution, KeptExecutions } from "../../calls/executions/kept-execution";
import type { KeptRun, KeptRuns } from "./retention-ports";

const DAY_MS = 24 * 60 * 60_000;
/** A page of rows is read within this long, so that it delays nothing else. */
const READ_MS = 6;
const FIRST_ROWS = 64;
const MOST_ROWS = 2_048;

export interface PlanPorts {
  executions: KeptExecutions;
  runs: KeptRuns;
}

export interface Plan {
  findings: RetentionFinding[];
  definitions: DefinitionUse;
}

export interface PlanVisitor {
  /** Newest first. */
  executions(doomed: readonly KeptExecution[]): Promise<void>;
  run(doomed: KeptRun): Promise<void>;
}

/** Counts for a rule, from the newest item on. */
class Tally {
  readonly finding: RetentionFinding;
  readonly #oldest: number;

  constructor(rule: RetentionRule, now: number) {
    this.finding = {
      rule,
      deletes: { count: 0, bytes: 0 },
      keeps: { count: 0, bytes: 0 },
      exempt: 0,
      oldestKeptAt: null,
    };
    this.#oldest = rule.maxAgeDays === undefined ? Number.NEGATIVE_INFINITY : now - rule.maxAgeDays * DAY_MS;
  }

  /** Whether the next older item exceeds a limit. Once one does, all older ones do. */
  exceeds(at: number, bytes: number): boolean {
    const { rule, keeps, deletes } = this.finding;
    if (at < this.#oldest) return true;
    if (rule.maxCount !== undefined && keeps.count >= rule.maxCount) return true;
    if (rule.maxBytes === undefined) return false;
    return deletes.count > 0 || keeps.bytes + bytes > rule.maxBytes;
  }

  keep(at: number, bytes: number): void {
    const { keeps } = this.finding;
    keeps.count += 1;
    keeps.bytes += bytes;
    this.finding.oldestKeptAt = Math.min(at, this.finding.oldestKeptAt ?? at);
  }

  delete(bytes: number): void {
    this.finding.deletes.count += 1;
    this.finding.deletes.bytes += bytes;
  }
}

/**
 * Walks once over all runs and calls, newest first, and passes on what the policy deletes. The rest is only counted.
 * @param signal ends it early: the rest waits for the next deletion
 */
export async function planRetention(
  { executions, runs }: PlanPorts,
  { rules }: RetentionPolicy,
  now: number,
  { visitor, signal }: { visitor?: PlanVisitor; signal?: AbortSignal } = {},
): Promise<Plan> {
  const tallies = rules.map((rule) => new Tally(rule, now));
  const find = createRuleFinder(tallies);
  for await (const run of readPages(runs.below, signal)) {
    const tally = find.run(run);
    if (tally === undefined) continue;
    if (run.isHeld || run.isNamed) {
      tally.finding.exempt += 1;
      continue;
    }
    const isMeasured = tally.finding.rule.maxBytes !== undefined;
    const bytes = isMeasured ? await runs.measure(run.id) : 0;
    if (!tally.exceeds(run.startedAt, bytes)) tally.keep(run.startedAt, bytes);
    else {
      tally.delete(isMeasured ? bytes : await runs.measure(run.id));
      await visitor?.run(run);
    }
  }

  const used = new Set<string>();
  const openTools = new Set<string>();
  /** Calls that a kept later one repeats. */
  const repeated = new Set<string>();
  let newestSeq = 0;
  const keep = (call: KeptExecution): void => {
    if (call.definitionHash !== null) used.add(call.definitionHash);
    if (call.isOpen) openTools.add(call.toolName);
    if (call.parentId !== null) repeated.add(call.parentId);
  };
  for await (const page of readWholePages(executions.below, signal)) {
    newestSeq = Math.max(newestSeq, page[0]?.seq ?? 0);
    const doomed: { call: KeptExecution; tally: Tally }[] = [];
    const first = page.at(-1)?.seq ?? 0;
    let named: ReadonlySet<number> | null = null;
    for (const call of page) {
      const tally = call.runId === null ? find.execution(call) : undefined;
      if (tally === undefined) keep(call);
      else if (call.isOpen || call.isPinned || repeated.has(call.id)) {
        tally.finding.exempt += 1;
        keep(call);
      } else if (!tally.exceeds(call.queuedAt, call.bytes)) {
        tally.keep(call.queuedAt, call.bytes);
        keep(call);
      } else {
        named ??= await executions.named(first, call.seq, now);
        if (named.has(call.seq)) {
          tally.finding.exempt += 1;
          keep(call);
        } else {
          tally.delete(call.bytes);
          doomed.push({ call, tally });
        }
      }
    }
    if (doomed.length > 0) await visitor?.executions(doomed.map(({ call }) => call));
  }
  return { findings: tallies.map(({ finding }) => finding), definitions: { used, newestSeq, openTools } };
}

/** The most specific rule decides. */
function createRuleFinder(tallies: readonly Tally[]) {
  const named = (scope: RetentionRule["scope"]) =>
    new Map(
      tallies.filter(({ finding }) => finding.rule.scope === scope).map((tally) => [tally.finding.rule.name, tally]),
    );
  const tools = named("tool");
  const servers = named("server");
  const sources = named("source");
  const others = named("other");
  const runs = named("runs");
  return {
    execution: ({ toolName, serverName, source }: KeptExecution): Tally | undefined =>
      tools.get(toolName) ?? servers.get(serverName ?? undefined) ?? sources.get(source) ?? others.get(undefined),
    run: ({ source }: KeptRun): Tally | undefined => runs.get(source) ?? runs.get(undefined),
  };
}

async function* readPages<Row extends { seq: number }>(
  read: (below: number, limit: number) => Promise<Row[]>,
  signal?: AbortSignal,
): AsyncGenerator<Row> {
  for await (const page of readWholePages(read, signal)) yield* page;
}

/** Pages that are read in some milliseconds each, with other work in between. */
async function* readWholePages<Row extends { seq: number }>(
  read: (below: number, limit: number) => Promise<Row[]>,
  signal?: AbortSignal,
): AsyncGenerator<Row[]> {
  let limit = FIRST_ROWS;
  for (let below = Number.MAX_SAFE_INTEGER; signal?.aborted !== true; ) {
    const begun = performance.now();
    const page = await read(below, limit);
    const tookMs = performance.now() - begun;
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    if (page.length < limit) return;
    below = last.seq;
    if (tookMs < READ_MS / 2) limit = Math.min(limit * 2, MOST_ROWS);
    else if (tookMs > READ_MS) limit = Math.max(FIRST_ROWS, limit >> 1);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
