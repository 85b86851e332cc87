import type { RetentionPolicy, RetentionSweep } from "../../../lib/contract/retention";
import { getMessage } from "../../../lib/get-message";
import type { DeleteExecutions } from "../../calls/executions/execution-store";
import type { KeptExecution, UnusedDefinitions } from "../../calls/executions/kept-execution";
import { createPacedDeletes } from "./paced-deletes";
import { type PlanPorts, planRetention } from "./retention-plan";

/** The author of deletions in the chain of digests. */
const BY = "Retention";

export interface SweepPorts extends PlanPorts {
  deleteExecutions: DeleteExecutions;
  definitions: UnusedDefinitions;
  /** Makes the database file shorter, in small steps. @returns by how many bytes */
  releaseSpace(signal: AbortSignal): Promise<number>;
  now(): number;
}

/**
 * Deletes the runs and calls that the policy selects. Deletions before a failure or a stop stay; the next run
 * continues.
 */
export async function sweep(ports: SweepPorts, policy: RetentionPolicy, signal: AbortSignal): Promise<RetentionSweep> {
  const { now, runs, definitions } = ports;
  const outcome: RetentionSweep = {
    startedAt: now(),
    finishedAt: 0,
    executions: 0,
    runs: 0,
    definitions: 0,
    bytes: 0,
    releasedBytes: 0,
    error: null,
  };
  const byId = new Map<string, number>();
  const remove = createPacedDeletes<Pick<KeptExecution, "id" | "bytes">>(async (rows) => {
    for (const { id, bytes } of rows) byId.set(id, bytes);
    const ids = rows.map(({ id }) => id);
    for (const { id } of await ports.deleteExecutions(ids, { actor: BY, at: now(), includePinned: false })) {
      outcome.executions += 1;
      outcome.bytes += byId.get(id) ?? 0;
    }
    byId.clear();
  });
  try {
    await runs.deleteLeftovers();
    const plan = await planRetention(ports, policy, outcome.startedAt, {
      signal,
      visitor: {
        executions: (doomed) => remove(doomed, signal),
        async run({ id }) {
          const bytes = await runs.measure(id);
          const before = outcome.bytes;
          // The bytes of its calls are included in those of the run.
          await remove(
            (await runs.callIds(id)).map((call) => ({ id: call, bytes: 0 })),
            signal,
          );
          outcome.bytes = before;
          if (signal.aborted || !(await runs.delete(id))) return;
          outcome.runs += 1;
          outcome.bytes += bytes;
        },
      },
    });
    if (!signal.aborted) outcome.definitions = await definitions.delete(plan.definitions);
    if (!signal.aborted) outcome.releasedBytes = await ports.releaseSpace(signal);
  } catch (error) {
    outcome.error = getMessage(error);
  }
  return { ...outcome, finishedAt: now() };
}
