import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { ApprovalPolicy } from "../../../lib/contract/approval";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { startServer, type TestServer, WIPE } from "./approval.test-support";

describe("the approval policy of an MCP server", () => {
  const tool = (name: string, annotations = {}): ToolDefinition => ({
    ...WIPE,
    name: `files__${name}`,
    implementation: { type: "mcp", server: "files", tool: name },
    annotations,
  });
  let scratch: ScratchDatabase;
  let server: TestServer;
  let policy: ApprovalPolicy | null = null;
  beforeEach(async () => {
    policy = null;
    scratch = await createScratchDatabase();
    server = await startServer(scratch.db, { serverPolicy: (name) => (name === "files" ? policy : null) });
    server.tools.setServerTools("files", [tool("read"), tool("erase", { destructiveHint: true })]);
  });
  afterEach(async () => {
    await server.stop();
    await scratch.remove();
  });
  const run = (name: string) =>
    server.executions.execute(name, { folder: "/old" }, { source: "agent", approvalWaitMs: 0 });

  it("AGT-05 decides in the executor, for every call and at once, and the request says why", async () => {
    expect((await run("files__read")).status).toBe("succeeded");
    expect(await run("files__erase")).toMatchObject({ error_kind: "approval_pending" });
    policy = "never";
    expect((await run("files__erase")).status).toBe("succeeded");
    policy = "always";
    const waiting = await run("files__read");
    expect(waiting).toMatchObject({ error_kind: "approval_pending" });
    const { items } = await server.approvals.list("open", undefined, 50);
    expect(items.map(({ toolName, approval }) => [toolName, approval?.because])).toEqual([
      ["files__erase", "server"],
      ["files__read", "server"],
    ]);
    expect((await server.approvals.get(waiting.execution_id)).approval).toEqual({
      required: true,
      because: "server",
      mode: null,
    });
    await server.tools.setApproval(LOCAL_OWNER, "files__read", "never");
    expect((await run("files__read")).status).toBe("succeeded");
    server.tools.setServerTools("files", []);
    expect((await server.approvals.get(waiting.execution_id)).approval).toBeNull();
  });
});
