import { describe, expect, it } from "vitest";
import type { SamplingRecord } from "../../../../lib/contract/sampling";
import { anEnd, aStart } from "../../../calls/executions/execution.test-support";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const answered = (executionId: string, receivedAt: number, more: Partial<SamplingRecord> = {}) => ({
  executionId,
  receivedAt,
  durationMs: 1,
  outcome: "answered" as const,
  provider: "acme",
  model: "tiny",
  requestText: "x".repeat(400),
  responseText: "y".repeat(40),
  stopReason: "endTurn",
  error: null,
  inputTokens: 30,
  outputTokens: 12,
  ...more,
});

export function describeSamplingStore(createDatabase: CreateDatabase): void {
  describe("sampling requests", () => {
    const database = useDatabase(createDatabase);

    it("are counted by call and by server since a time, with tokens estimated where none are reported", async () => {
      const store = database().sampling();
      const executions = database().executions({ instanceId: "test" });
      for (const [id, serverName] of [
        ["exec_a", "files"],
        ["exec_b", "files"],
        ["exec_c", "notes"],
      ] as const) {
        const start = aStart({ id, serverName });
        await executions.begin(start);
        await executions.finish(start, anEnd(start));
      }
      await executions.close();
      await store.add(answered("exec_a", 1_000));
      await store.add(answered("exec_a", 2_000));
      await store.add(answered("exec_b", 3_000, { inputTokens: null, outputTokens: null }));
      await store.add(answered("exec_a", 4_000, { outcome: "failed", responseText: null, outputTokens: null }));
      // No model was asked.
      await store.add(answered("exec_a", 4_000, { outcome: "declined", provider: null }));
      await store.add(answered("exec_c", 4_000));
      expect(await store.readUsage({ executionId: "exec_a", server: "files", since: 2_000 })).toMatchObject({
        call: { requests: 3, tokens: 42 + 42 + 30 },
        server: { requests: 3, tokens: 42 + 110 + 30, oldestAt: 2_000 },
      });
      expect(await store.readUsage({ executionId: "exec_x", server: "none", since: 0 })).toMatchObject({
        call: { requests: 0, tokens: 0 },
        server: { requests: 0, tokens: 0, oldestAt: null },
      });
    });
  });
}
