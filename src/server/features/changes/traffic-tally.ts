import type {
  ConcernedCaller,
  ConcernedField,
  TrafficClass,
  TrafficExample,
  TrafficReason,
  TrafficVerdict,
} from "../../../lib/contract/change-verdict";
import type { JudgedCall } from "../../engine/changes/traffic-ports";
import type { CallHead } from "./traffic-store";

const MAX_EXAMPLES = 50;
const MAX_LISTED = 50;
/** Broken calls that are kept by id, the newest. */
const MAX_IDS = 10_000;
/** Different values that are counted one by one. */
const MAX_COUNTED = 2_000;

export interface JudgedTraffic {
  verdict: TrafficVerdict;
  /** Calls that break, newest first. */
  brokenIds: string[];
}

class Counts {
  readonly #counts = new Map<string, { name: string; calls: number }>();

  add(id: string, name = id): void {
    const known = this.#counts.get(id);
    if (known !== undefined) known.calls += 1;
    else if (this.#counts.size < MAX_COUNTED) this.#counts.set(id, { name, calls: 1 });
  }

  list(): ConcernedCaller[] {
    const all = [...this.#counts].map(([id, { name, calls }]) => ({ id, name, calls }));
    return all.sort((left, right) => right.calls - left.calls).slice(0, MAX_LISTED);
  }

  get fields(): ConcernedField[] {
    return this.list().map(({ id: path, calls }) => ({ path, calls }));
  }
}

/** Sums judged calls up to the verdict on one tool. */
export class TrafficTally {
  readonly #counts: Record<TrafficClass, number> = { accepted: 0, rejected: 0, alreadyInvalid: 0, undecidable: 0 };
  readonly #reasons = new Counts();
  readonly #reasonPaths = new Map<string, string>();
  readonly #clients = new Counts();
  readonly #people = new Counts();
  readonly #fields = new Counts();
  readonly #ignored = new Counts();
  readonly #examples: TrafficExample[] = [];
  readonly #brokenIds: string[] = [];
  #broken = 0;
  #total = 0;
  #oldest: number | null = null;
  readonly #results = { judged: 0, undecidable: 0 };

  /** @param judged null for a call that is accepted without a remark */
  add(head: CallHead, judged: JudgedCall | null): void {
    const kind = judged?.class ?? "accepted";
    this.#total += 1;
    this.#counts[kind] += 1;
    this.#oldest = head.queuedAt;
    if (judged === null) return;
    for (const { reason, path } of judged.reasons) {
      this.#reasons.add(reason);
      if (this.#reasonPaths.size < MAX_COUNTED) this.#reasonPaths.set(reason, path);
    }
    for (const path of judged.ignored) this.#ignored.add(path);
    if (judged.fields !== null) this.#results.judged += 1;
    for (const path of judged.fields ?? []) this.#fields.add(path);
    const [lost] = judged.fields ?? [];
    if (kind === "rejected" || lost !== undefined) this.#addBroken(head, judged, lost);
  }

  /** The result of a call is stored in part. */
  addCutResult(): void {
    this.#results.undecidable += 1;
  }

  #addBroken(head: CallHead, judged: JudgedCall, lost: string | undefined): void {
    const { id, client, actorId, actorName, queuedAt } = head;
    this.#broken += 1;
    if (this.#brokenIds.length < MAX_IDS) this.#brokenIds.push(id);
    const program = client === null ? null : (client.split("/", 1)[0] ?? client);
    if (program !== null) this.#clients.add(program);
    this.#people.add(actorId, actorName);
    if (this.#examples.length >= MAX_EXAMPLES) return;
    const [first] = judged.reasons;
    const reason = first?.reason ?? (lost === undefined ? null : `received \`${lost}\`, which is gone`);
    this.#examples.push({ executionId: id, class: judged.class, at: queuedAt, client, person: actorName, reason });
  }

  toVerdict({ tool, from, to, complete }: Pick<TrafficVerdict, "tool" | "from" | "to" | "complete">): JudgedTraffic {
    const reasons: TrafficReason[] = this.#reasons
      .list()
      .map(({ id: reason, calls }) => ({ reason, path: this.#reasonPaths.get(reason) ?? "", calls }));
    const ignored = this.#ignored.fields;
    const verdict: TrafficVerdict = {
      tool,
      from: complete ? from : (this.#oldest ?? from),
      to,
      total: this.#total,
      counts: this.#counts,
      complete,
      reasons,
      examples: this.#examples,
      broken: this.#broken,
      clients: this.#clients.list(),
      people: this.#people.list(),
      fields: this.#fields.fields,
      ignored,
      results: this.#results,
      severity: this.#broken > 0 ? "error" : ignored.length > 0 ? "warning" : null,
    };
    return { verdict, brokenIds: this.#brokenIds };
  }
}
