import { type CallClass, CLASSES_BY_OUTCOME, classifyCall, isFailedClass } from "../../../lib/contract/call-class";
import type { ExecutionEnd, ExecutionJournal, ExecutionStart } from "../../engine/ports";

/** A line of the page. */
export interface Sample {
  value: number;
  labels?: Record<string, string>;
  /** The name; absent: that of the metric. */
  metricName?: string;
}

/** Further tools are counted together, so that neither memory nor a scrape grows without limit. */
const MAX_TOOLS = 100;
const OTHER = "other";
const CALL_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const COMMIT_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** The counts of one histogram. A call pays for it with an addition and a search of a short list. */
class Histogram {
  readonly #counts: number[];
  #sum = 0;

  constructor(
    private readonly labels: Record<string, string>,
    private readonly bounds: readonly number[],
  ) {
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(seconds: number): void {
    const { bounds } = this;
    let at = 0;
    while (at < bounds.length && seconds > (bounds[at] ?? 0)) at += 1;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += seconds;
  }

  samples(name: string): Sample[] {
    const { labels, bounds } = this;
    let total = 0;
    const buckets = this.#counts.map((count, at): Sample => {
      total += count;
      const le = at === bounds.length ? "+Inf" : String(bounds[at]);
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: total },
    ];
  }
}

/** `failed` is true for the calls that a failure rate counts. */
const CLASS_LABELS = Object.fromEntries(
  Object.entries(CLASSES_BY_OUTCOME).flatMap(([status, classes]) =>
    status === "failed" ? [] : classes.map((of) => [of, { status, failed: String(isFailedClass(of)) }]),
  ),
) as Record<CallClass, { status: string; failed: string }>;

/** The calls of one label. */
class ToolCounts {
  readonly durations: Histogram;
  /** The counts by source and class. */
  readonly #counts = new Map<string, Map<CallClass, number>>();

  constructor(private readonly tool: string) {
    this.durations = new Histogram({ tool }, CALL_BOUNDS);
  }

  add(source: string, of: CallClass): void {
    const counts = this.#counts.get(source) ?? new Map<CallClass, number>();
    if (counts.size === 0) this.#counts.set(source, counts);
    counts.set(of, (counts.get(of) ?? 0) + 1);
  }

  samples(): Sample[] {
    const { tool } = this;
    return Array.from(this.#counts).flatMap(([source, counts]) =>
      Array.from(counts, ([of, value]) => ({ labels: { tool, source, ...CLASS_LABELS[of] }, value })),
    );
  }
}

const STEPS = ["begin", "proceed", "finish", "record"] as const;
type Step = (typeof STEPS)[number];

/**
 * Counts what the journal is given. The numbers are this process's, from its start; those of a metrics library cost several
 * times as much for each call.
 */
export class CallMetrics {
  readonly #tools = new Map<string, ToolCounts>();
  readonly #other = new ToolCounts(OTHER);
  readonly #commits = Object.fromEntries(STEPS.map((step) => [step, new Histogram({ step }, COMMIT_BOUNDS)])) as Record<
    Step,
    Histogram
  >;
  /** Rows that the journal was given and has not made durable, oldest first. */
  readonly #pending = new Set<{ since: number }>();
  readonly #running = new Set<string>();

  /** Measures the calls of a journal. */
  watch(journal: ExecutionJournal): ExecutionJournal {
    return {
      begin: async (start) => {
        await this.#measure("begin", journal.begin(start));
        if (start.waiting !== true) this.#running.add(start.id);
      },
      proceed: async (start, proceeding) => {
        const runs = await this.#measure("proceed", journal.proceed(start, proceeding));
        if (runs) this.#running.add(start.id);
        return runs;
      },
      finish: (start, end) => {
        this.#running.delete(start.id);
        this.#count(start, end);
        return this.#measure("finish", journal.finish(start, end));
      },
      record: (start, end) => {
        this.#count(start, end);
        return this.#measure("record", journal.record(start, end));
      },
    };
  }

  get running(): number {
    return this.#running.size;
  }

  get pendingRows(): number {
    return this.#pending.size;
  }

  /** Seconds that the oldest row has waited to be durable. */
  get lagSeconds(): number {
    const [oldest] = this.#pending;
    return oldest === undefined ? 0 : (performance.now() - oldest.since) / 1000;
  }

  calls = (): Sample[] => this.#all().flatMap((counts) => counts.samples());
  durations = (name: string): Sample[] => this.#all().flatMap(({ durations }) => durations.samples(name));
  commits = (name: string): Sample[] => Object.values(this.#commits).flatMap((histogram) => histogram.samples(name));

  #all(): ToolCounts[] {
    return [...this.#tools.values(), this.#other];
  }

  #count(
    { toolName, definition, source }: ExecutionStart,
    { status, errorKind, executionTimeMs, startedAt }: ExecutionEnd,
  ): void {
    // A caller may send any name, so only tools that exist have a label.
    const counts = definition === null ? this.#other : (this.#tools.get(toolName) ?? this.#addTool(toolName));
    counts.add(source, classifyCall({ status, errorKind, source }));
    if (startedAt !== null) counts.durations.observe(executionTimeMs / 1000);
  }

  #addTool(tool: string): ToolCounts {
    if (this.#tools.size >= MAX_TOOLS) return this.#other;
    const counts = new ToolCounts(tool);
    this.#tools.set(tool, counts);
    return counts;
  }

  async #measure<T>(step: Step, commit: Promise<T>): Promise<T> {
    const row = { since: performance.now() };
    this.#pending.add(row);
    try {
      return await commit;
    } finally {
      this.#pending.delete(row);
      this.#commits[step].observe((performance.now() - row.since) / 1000);
    }
  }
}
