import type { SamplingRecord } from "../../../lib/contract/sampling";

export interface SamplingStore {
  add(record: Omit<SamplingRecord, "id">): Promise<void>;
  /** In the order they ended. */
  list(executionId: string): Promise<SamplingRecord[]>;
}
