import { describe, expect, it } from "vitest";
import type { ToolCallResult } from "../../../lib/contract/content";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { McpCaller } from "../mcp-ports";
import { recordingLogger } from "../recording-logger.test-support";
import { engineWith, memoryJournal, tool } from "./executor.test-support";

const PLANTED = "sk-planted-0123456789";

const failing: ToolCallResult = { isError: true, content: [{ type: "text", text: `Denied for ${PLANTED}` }] };
const caller = (answer: ToolCallResult): McpCaller => ({ call: async () => answer });
const serverTool: ToolDefinition = tool("files__read", { type: "mcp", server: "files", tool: "read" });
const withSecretField = (name: string): ToolDefinition => ({
  ...tool(name, { type: "builtin", handler: name }),
  parameters: {
    type: "object",
    properties: { token: { type: "string", writeOnly: true }, user: { type: "string" }, tags: { type: "array" } },
  },
});

describe("the server's log of calls", () => {
  it("has no argument value of an unknown tool, only its keys and its size", async () => {
    const logger = recordingLogger();
    const { executor } = engineWith({ logger });
    const args = { api_key: PLANTED, nested: { list: [PLANTED] } };
    await executor.execute("missing__tool", args);
    await executor.execute("missing__tool", PLANTED);
    await executor.execute("missing__tool", [PLANTED]);
    expect(JSON.stringify(logger.lines)).not.toContain(PLANTED);
    const lines = logger.lines.filter(({ message }) => message === "Tool execution failed");
    expect(lines.map(({ fields }) => fields.arguments)).toEqual([
      { characters: JSON.stringify(args).length, keys: ["api_key", "nested"] },
      { characters: PLANTED.length + 2 },
      { characters: PLANTED.length + 4 },
    ]);
  });

  it("ERR-04 has no text of an error result, names the execution, and the caller and the record still have the text", async () => {
    const logger = recordingLogger();
    const { rows, journal } = memoryJournal();
    const { registry, executor } = engineWith({ logger, journal, mcp: caller(failing) });
    registry.registerServerTool(serverTool);
    const envelope = await executor.execute("files__read", {});
    expect(envelope).toMatchObject({ success: false, error: `Denied for ${PLANTED}` });
    expect(rows.at(-1)).toMatchObject({ end: { error: `Denied for ${PLANTED}` } });
    expect(JSON.stringify(logger.lines)).not.toContain(PLANTED);
    const [{ fields } = { fields: {} }] = logger.lines.filter(({ message }) => message === "Tool execution failed");
    expect(fields).toMatchObject({
      execution_id: envelope.execution_id,
      error: `The tool returned an error of ${`Denied for ${PLANTED}`.length} characters: see the execution`,
    });
  });

  it("has no text of an error result either when the record cannot be written", async () => {
    const logger = recordingLogger();
    const { journal } = memoryJournal();
    const broken = { ...journal, finish: () => Promise.reject(new Error("disk full")) };
    const { registry, executor } = engineWith({ logger, journal: broken, mcp: caller(failing) });
    registry.registerServerTool(serverTool);
    const envelope = await executor.execute("files__read", {});
    expect(envelope).toMatchObject({ error_kind: "not_recorded", error: expect.stringContaining(PLANTED) });
    expect(JSON.stringify(logger.lines)).not.toContain(PLANTED);
    expect(JSON.stringify(logger.lines)).toContain("disk full");
  });

  it("ERR-03 has the message and stack of a failed tool without the sensitive arguments that it repeats", async () => {
    const logger = recordingLogger();
    const quoted = 'pass "word" with quotes';
    const { registry, executor } = engineWith({
      logger,
      builtins: {
        login: (args) => {
          throw new Error(`${String(args.user)} may not use ${String(args.token)} (${JSON.stringify(args)})`);
        },
      },
    });
    registry.register(withSecretField("login"));
    for (const token of [PLANTED, quoted]) await executor.execute("login", { token, user: "ada", tags: [] });
    const text = JSON.stringify(logger.lines);
    expect(text).not.toContain(PLANTED);
    expect(text).not.toContain(JSON.stringify(quoted).slice(1, -1));
    expect(text).not.toContain("with quotes");
    const line = logger.lines.find(({ level }) => level === "error");
    expect(line?.fields.error).toContain("ada may not use [redacted]");
    expect(line?.fields.stack).toContain("execution-recorder.test.ts");
  });

  it("survives arguments that contain themselves", async () => {
    const logger = recordingLogger();
    const { registry, executor } = engineWith({ logger });
    registry.register(withSecretField("login"));
    const args: Record<string, unknown> = { token: PLANTED };
    args.self = args;
    expect(await executor.execute("login", args)).toMatchObject({ error_kind: "invalid_arguments" });
    expect(logger.lines).toHaveLength(1);
  });

  it("ends a long error message early", async () => {
    const logger = recordingLogger();
    const throwing: McpCaller = { call: () => Promise.reject(new Error("x".repeat(9000))) };
    const { registry, executor } = engineWith({ logger, mcp: throwing });
    registry.registerServerTool(serverTool);
    await executor.execute("files__read", {});
    for (const { fields } of logger.lines) expect(String(fields.error).length).toBeLessThanOrEqual(2000);
  });
});
