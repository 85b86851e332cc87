import type { SamplingRecord } from "../../../lib/contract/sampling";

/** Requests that a model was asked, and their tokens; estimated where the provider does not report them. */
export interface SamplingUsage {
  requests: number;
  tokens: number;
}

export interface SamplingStore {
  add(record: Omit<SamplingRecord, "id">): Promise<void>;
  /** Reads the usage of a call, and of its server since a time. */
  readUsage(of: { executionId: string; server: string; since: number }): Promise<{
    call: SamplingUsage;
    server: SamplingUsage & { /** Null for none. */ oldestAt: number | null };
  }>;
  /** The requests in the order of their ends. */
  list(executionId: string): Promise<SamplingRecord[]>;
}
