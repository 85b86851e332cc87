import type {
  ConcernedCaller,
  ConcernedField,
  TrafficClass,
  TrafficExample,
  TrafficReason,
  TrafficVerdict,
} from "../../../lib/contract/change-verdict";
import type { CheckedCall } from "../../engine/changes/traffic-ports";
import type { CallHead } from "./traffic-store";

const MAX_EXAMPLES = 50;
const MAX_LISTED = 50;
/** Broken calls that are kept by id, the newest. */
const MAX_IDS = 10_000;
/** Different values that are counted one by one. */
const MAX_COUNTED = 2_000;

export interface CheckedTraffic {
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

/** Sums checked calls up to the verdict on one tool. */
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

  /** @param checked null for a call that is accepted without a note */
  add(head: CallHead, checked: CheckedCall | null): void {
    const kind = checked?.class ?? "accepted";
    this.#total += 1;
    this.#counts[kind] += 1;
    this.#oldest = head.queuedAt;
    if (checked === null) return;
    for (const { reason, path } of checked.reasons) {
      this.#reasons.add(reason);
      if (this.#reasonPaths.size < MAX_COUNTED) this.#reasonPaths.set(reason, path);
    }
    for (const path of checked.ignored) this.#ignored.add(path);
    if (checked.fields !== null) this.#results.judged += 1;
    for (const path of checked.fields ?? []) this.#fields.add(path);
    const [lost] = checked.fields ?? [];
    if (kind === "rejected" || lost !== undefined) this.#addBroken(head, checked, lost);
  }

  /** The result of a call is stored in part. */
  addCutResult(): void {
    this.#results.undecidable += 1;
  }

  #addBroken(head: CallHead, checked: CheckedCall, lost: string | undefined): void {
    const { id, client, actorId, actorName, queuedAt } = head;
    this.#broken += 1;
    if (this.#brokenIds.length < MAX_IDS) this.#brokenIds.push(id);
    const program = client === null ? null : (client.split("/", 1)[0] ?? client);
    if (program !== null) this.#clients.add(program);
    this.#people.add(actorId, actorName);
    if (this.#examples.length >= MAX_EXAMPLES) return;
    const [first] = checked.reasons;
    const reason = first?.reason ?? (lost === undefined ? null : `received \`${lost}\`, which is gone`);
    this.#examples.push({ executionId: id, class: checked.class, at: queuedAt, client, person: actorName, reason });
  }

  toVerdict({ tool, from, to, complete }: Pick<TrafficVerdict, "tool" | "from" | "to" | "complete">): CheckedTraffic {
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
