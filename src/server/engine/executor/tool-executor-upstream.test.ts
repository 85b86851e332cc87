import { describe, expect, it } from "vitest";
import type { FailureEnvelope } from "../../../lib/contract/envelope";
import { ToolFailure } from "../failures";
import { recordingLogger } from "../recording-logger.test-support";
import { engineWith, memoryJournal, NO_PARAMETERS, tool } from "./executor.test-support";

const COLORED = "\u001b[31mE42\u001b[0m: no such file\u0007";

/** An engine whose one tool belongs to an MCP server that behaves as given. */
function serverThat(call: () => Promise<unknown>) {
  const logger = recordingLogger();
  const { rows, journal } = memoryJournal();
  const engine = engineWith({ logger, journal, mcp: { call } as never });
  engine.registry.registerServerTool(
    tool("files__read", { type: "mcp", server: "files", tool: "read" } as never, NO_PARAMETERS),
  );
  return { logger, rows, run: async () => (await engine.executor.execute("files__read", {})) as FailureEnvelope };
}

describe("a failure of something outside", () => {
  it.each([
    ["an MCP server's error", () => Promise.reject(new ToolFailure("tool_error", "files: refused (code -32000)"))],
    ["a refused connection", () => Promise.reject(Object.assign(new Error("connect"), { code: "ECONNREFUSED" }))],
    ["an answer with isError", async () => ({ isError: true, content: [{ type: "text", text: "No such file" }] })],
  ])("ERR-03 %s is logged as a warning, without a stack of ours", async (_what, call) => {
    const { logger, run } = serverThat(call);
    await run();
    const failed = logger.lines.filter(({ message }) => message === "Tool execution failed");
    expect(failed).toMatchObject([{ level: "warn", fields: { tool: "files__read", arguments: {} } }]);
    expect(failed[0]?.fields).not.toHaveProperty("stack");
  });

  it("ERR-03 a fault in a tool's own code is logged as an error, with its stack", async () => {
    const { logger, run } = serverThat(() => Promise.reject(new TypeError("x is not a function")));
    await run();
    const line = logger.lines.find(({ level }) => level === "error");
    expect(line?.fields).toMatchObject({ tool: "files__read", stack: expect.stringContaining("x is not a function") });
  });

  it("ERR-04 the error of an answer with isError has no escape sequences; the answer is stored as it came", async () => {
    const answer = { isError: true, content: [{ type: "text", text: COLORED }] };
    const { rows, run } = serverThat(async () => answer);
    const envelope = await run();
    expect(envelope.error).toBe("E42: no such file");
    expect(envelope.result).toEqual(answer);
    const end = rows.find(({ phase }) => phase === "finish")?.end;
    expect(end?.error).toBe("E42: no such file");
    expect(JSON.parse(end?.resultText ?? "null")).toEqual(answer);
  });

  it("ERR-04 thrown messages and log lines have no escape sequences", async () => {
    const logger = recordingLogger();
    const { rows, journal } = memoryJournal();
    const engine = engineWith({ logger, journal });
    engine.registry.registerFunction(
      {
        name: "colored",
        description: "Fails in color",
        handler: "colored",
        type: "function",
        parameters: NO_PARAMETERS,
      },
      (_args, context) => {
        context.logger.info(COLORED);
        throw new Error(COLORED);
      },
    );
    const envelope = (await engine.executor.execute("colored", {})) as FailureEnvelope;
    expect(envelope.error).toBe("E42: no such file");
    expect(rows.find(({ phase }) => phase === "finish")?.end?.logs).toMatchObject([{ message: "E42: no such file" }]);
  });
});
