import { describe, expect, it } from "vitest";
import { HAS_POSTGRES } from "../platform/db/postgres/scratch-postgres.test-support";
import { startInstances } from "./start-copies.test-support";

describe.skipIf(!HAS_POSTGRES)("several instances", () => {
  it("work with one database at the same time", async () => {
    const { copies } = await startInstances(2);
    const [first, second] = copies;
    const ADA = { id: "ada", name: "Ada", role: "admin", token: null } as const;
    const ran = await first?.services.executions.run(ADA, { tool: "echo", argumentsText: '{"n":1}' });
    const seen = await second?.services.executions.get(ran?.id ?? "");
    expect(seen?.status).toBe("succeeded");
  });
});
