import { describe, expect, it } from "vitest";
import { createToolEngine } from "../../create-tool-engine";

const { registry, executor } = createToolEngine();
for (const handler of ["current_time", "uuid"]) {
  registry.register({
    name: handler,
    description: `The ${handler} handler`,
    type: "function",
    handler,
    parameters: { type: "object" },
    implementation: { type: "builtin", handler },
  });
}

describe("builtin handlers", () => {
  it("IMPL-02 current_time tells the time in an IANA zone with its offset", async () => {
    const before = Date.now();
    const envelope = await executor.execute("current_time", { timezone: "Asia/Kathmandu" });
    expect(envelope).toMatchObject({
      success: true,
      result: { timezone: "Asia/Kathmandu", iso: expect.stringMatching(/\+05:45$/) },
    });
    const { iso, epoch_ms } = (envelope as { result: { iso: string; epoch_ms: number } }).result;
    expect(epoch_ms).toBeGreaterThanOrEqual(before);
    expect(Math.abs(new Date(iso).getTime() - epoch_ms)).toBeLessThan(1000);
    expect(await executor.execute("current_time", { timezone: "UTC" })).toMatchObject({
      result: { iso: expect.stringMatching(/\+00:00$/) },
    });
  });

  it("IMPL-02 current_time refuses a zone that does not exist and says what would do", async () => {
    expect(await executor.execute("current_time", { timezone: "Mars/Base" })).toMatchObject({
      success: false,
      error: expect.stringContaining("Europe/Oslo"),
    });
  });

  it("IMPL-02 uuid makes one or many, all different", async () => {
    expect(await executor.execute("uuid", {})).toMatchObject({
      result: { uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    const many = (await executor.execute("uuid", { count: 100 })) as { result: { uuids: string[] } };
    expect(new Set(many.result.uuids).size).toBe(100);
    expect(await executor.execute("uuid", { count: 0 })).toMatchObject({ success: false });
  });
});
