import { describe, expect, it } from "vitest";
import type { FunctionResultContent } from "../../../lib/contract/chat";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { autoInvokeFunction, executeFunctionCalls, type FunctionInvocation, parseArguments } from "./execution-engine";
import { toFunctionResult } from "./function-result";
import { call, invocationEngine } from "./invocation.test-support";

describe("one call", () => {
  it("AGT-01 returns the call's id, its result, its execution id and its duration", async () => {
    const { invocation } = invocationEngine();
    expect(await autoInvokeFunction(call("add", { a: 1, b: 2 }), invocation)).toEqual({
      type: "function_result",
      callId: "call_add",
      name: "add",
      result: "3",
      executionId: expect.stringMatching(/^exec_/),
      durationMs: expect.any(Number),
    });
  });

  it("AGT-01 a tool that throws gives an exception with its message, and nothing is thrown", async () => {
    const { invocation } = invocationEngine();
    const content = await autoInvokeFunction(call("fail"), invocation);
    expect(content).toMatchObject({ callId: "call_fail", exception: { kind: "tool_error", message: "out of paper" } });
    expect(content).not.toHaveProperty("result");
  });

  it("AGT-03 takes arguments as an object and as JSON text, and no arguments at all as none", async () => {
    const { invocation } = invocationEngine();
    expect(await autoInvokeFunction(call("add", '{"a":1,"b":2}'), invocation)).toMatchObject({ result: "3" });
    expect(await autoInvokeFunction(call("echo", "  "), invocation)).toMatchObject({ result: "{}" });
  });

  it("AGT-03 malformed JSON is an exception that says where, and the tool does not run", async () => {
    const { invocation, ran } = invocationEngine();
    const content = await autoInvokeFunction(call("echo", '{"a":'), invocation);
    expect(content).toMatchObject({
      callId: "call_echo",
      exception: { kind: "malformed_arguments", message: expect.stringMatching(/^The arguments are not valid JSON: /) },
    });
    expect(ran).toEqual([]);
  });

  it("AGT-03 ERR-02 invalid arguments are an exception that names the required parameters, and the tool does not run", async () => {
    const { invocation, ran } = invocationEngine();
    const { exception } = (await autoInvokeFunction(call("add", { a: "x" }), invocation)) as FunctionResultContent;
    expect(exception?.kind).toBe("invalid_arguments");
    expect(exception?.message).toBe(
      "Invalid parameters: missing 'b'; 'a' must be number\nRequired parameters:\n- a (number): First\n- b (number)",
    );
    expect(ran).toEqual([]);
  });

  it("AGT-03 arguments that are JSON but no object are refused by the validator, not thrown", async () => {
    const { invocation } = invocationEngine();
    expect(await autoInvokeFunction(call("echo", "[1]"), invocation)).toMatchObject({
      exception: { kind: "invalid_arguments" },
    });
  });

  it.each(["nope", "constructor", "__proto__"])(
    "AGT-04 the unknown tool '%s' is an exception, nothing is thrown",
    async (name) => {
      const { invocation } = invocationEngine();
      expect(await autoInvokeFunction(call(name), invocation)).toMatchObject({
        exception: { kind: "not_found", message: `Tool '${name}' not found` },
      });
    },
  );

  it("AGT-04 malformed arguments of an unknown tool say that there is no such tool", async () => {
    const { invocation } = invocationEngine();
    expect(await autoInvokeFunction(call("nope", "{"), invocation)).toMatchObject({ exception: { kind: "not_found" } });
  });

  it("AGT-04 a tool that is not among the allowed ones is not run, and those that are are named", async () => {
    const { invocation, ran } = invocationEngine();
    const content = await autoInvokeFunction(call("echo"), { ...invocation, allowedTools: ["add"] });
    expect(content).toMatchObject({ exception: { message: "Tool 'echo' is not available here; available: add" } });
    const none = await autoInvokeFunction(call("echo"), { ...invocation, allowedTools: [] });
    expect(none).toMatchObject({ exception: { message: "Tool 'echo' is not available here; no tools are" } });
    expect(ran).toEqual([]);
  });

  it("AGT-04 an unknown tool goes to the executor even where only some are allowed, so that it is recorded", async () => {
    const { invocation } = invocationEngine();
    const content = await autoInvokeFunction(call("nope"), { ...invocation, allowedTools: ["add"] });
    expect(content).toMatchObject({ exception: { kind: "not_found" }, executionId: expect.stringMatching(/^exec_/) });
  });

  it("ERR-02 malformed arguments name the required parameters too", async () => {
    const { invocation } = invocationEngine();
    const { exception } = (await autoInvokeFunction(call("add", "{"), invocation)) as FunctionResultContent;
    expect(exception?.message).toMatch(
      /^The arguments are not valid JSON: [\s\S]*\nRequired parameters:\n- a \(number\): First/,
    );
  });

  it("AGT-06 custom arguments lie under those of the model, which win", async () => {
    const { invocation } = invocationEngine();
    const customArgs = { tenant: "acme", units: "metric" };
    expect(await autoInvokeFunction(call("echo", { units: "imperial" }), { ...invocation, customArgs })).toMatchObject({
      result: '{"tenant":"acme","units":"imperial"}',
    });
    expect(customArgs).toEqual({ tenant: "acme", units: "metric" });
  });

  it("AGT-06 a key called __proto__ stays a key", () => {
    const { args } = parseArguments(call("echo", '{"__proto__":{"admin":true}}'));
    const { value } = args.withDefaults({ tenant: "acme" });
    expect(Object.hasOwn(value as object, "__proto__")).toBe(true);
    expect((value as { admin?: unknown }).admin).toBeUndefined();
  });

  it("AGT-12 every call goes through the injected executor, with the call's id and the caller's options", async () => {
    const seen: unknown[] = [];
    const { executor, invocation } = invocationEngine();
    const watched: FunctionInvocation = {
      ...invocation,
      options: { source: "agent", runId: "run_1" },
      newExecutionId: () => "exec_given0001",
      executor: {
        execute: (...given) => {
          seen.push(given);
          return executor.execute(...given);
        },
      },
    };
    expect(await autoInvokeFunction(call("add", { a: 1, b: 1 }), watched)).toMatchObject({
      executionId: "exec_given0001",
    });
    expect(seen).toEqual([
      [
        "add",
        expect.objectContaining({ value: { a: 1, b: 1 }, text: '{"a":1,"b":1}' }),
        {
          source: "agent",
          runId: "run_1",
          callId: "call_add",
          executionId: "exec_given0001",
          onApproved: expect.any(Function),
        },
      ],
    ]);
  });
});

describe("approval", () => {
  it("AGT-05 a tool that needs approval gives a request with the call's id, and does not run", async () => {
    const { invocation, ran } = invocationEngine();
    const asked = call("delete_all", { table: "users" });
    expect(await autoInvokeFunction(asked, invocation)).toEqual({
      type: "function_approval_request",
      id: "call_delete_all",
      functionCall: asked,
    });
    expect(ran).toEqual([]);
  });

  it("AGT-05 approved, it runs with the arguments that were approved, under the id that the model knows", async () => {
    const { invocation, ran } = invocationEngine();
    const approval = {
      type: "function_approval_response",
      id: "call_delete_all",
      approved: true,
      functionCall: call("delete_all", { table: "drafts" }),
    } as const;
    const content = await autoInvokeFunction(call("delete_all", { table: "users" }), invocation, { approval });
    expect(content).toMatchObject({
      type: "function_result",
      callId: "call_delete_all",
      editedArguments: '{"table":"drafts"}',
      result: 'deleted\n[A user changed the arguments of this call before it ran, to {"table":"drafts"}]',
    });
    expect(ran).toEqual([{ name: "delete_all", args: { table: "drafts" } }]);
  });

  it("AGT-05 an answer can change the arguments, never the tool", async () => {
    const { invocation, ran } = invocationEngine();
    const approval = {
      type: "function_approval_response",
      id: "call_echo",
      approved: true,
      functionCall: call("delete_all", { x: 1 }),
    } as const;
    await autoInvokeFunction(call("echo"), { ...invocation, allowedTools: ["echo"] }, { approval });
    expect(ran).toEqual([{ name: "echo", args: { x: 1 } }]);
  });

  it("AGT-05 rejected, it does not run, and the model receives the reason", async () => {
    const { invocation, ran } = invocationEngine();
    const functionCall = call("delete_all");
    const answer = (reason?: string) => ({
      approval: {
        type: "function_approval_response" as const,
        id: functionCall.callId,
        approved: false,
        functionCall,
        ...(reason === undefined ? {} : { reason }),
      },
    });
    expect(await autoInvokeFunction(functionCall, invocation, answer("not today"))).toMatchObject({
      exception: { kind: "rejected", message: "The call was rejected by a person: not today" },
    });
    expect(await autoInvokeFunction(functionCall, invocation, answer())).toMatchObject({
      exception: { message: "The call was rejected by a person" },
    });
    expect(ran).toEqual([]);
  });
});

describe("several calls", () => {
  it("AGT-02 run at once: each starts before any has ended", async () => {
    let inside = 0;
    let most = 0;
    let release = (): void => {};
    const all = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { invocation } = invocationEngine({
      meet: async () => {
        inside += 1;
        most = Math.max(most, inside);
        if (inside === 3) release();
        await all;
        inside -= 1;
        return "met";
      },
    });
    const calls = [1, 2, 3].map((each) => call("meet", {}, `call_${each}`));
    expect(await executeFunctionCalls(calls, invocation)).toHaveLength(3);
    expect(most).toBe(3);
  });

  it("AGT-02 results are in the order of the calls, whichever ended first, failures among them", async () => {
    const { invocation } = invocationEngine();
    const calls = [call("slow"), call("fail"), call("nope"), call("add", { a: 1, b: 2 })];
    const contents = await executeFunctionCalls(calls, invocation);
    expect(contents.map((content) => (content as FunctionResultContent).callId)).toEqual(
      calls.map(({ callId }) => callId),
    );
    expect(contents).toMatchObject([{ result: "late" }, { exception: {} }, { exception: {} }, { result: "3" }]);
  });
});

describe("the text for the model", () => {
  const envelope = (result: unknown) =>
    ({
      success: true,
      status: "succeeded",
      result,
      tool_name: "t",
      execution_time_ms: 1,
      execution_id: "exec_1",
    }) as const;
  const mcp = { implementation: { type: "mcp", server: "s", tool: "t" } } as ToolDefinition;

  it("OUT-01 a long result is cut with a note that says how much is missing, at the tool's own limit where it has one", () => {
    const { result } = toFunctionResult(call("t"), envelope("x".repeat(50)), undefined, 20);
    expect(result).toBe(`${"x".repeat(20)}… [truncated: 20 of 50 characters]`);
    const own = { ...mcp, max_model_chars: 5, implementation: { type: "mock" } } as unknown as ToolDefinition;
    expect(toFunctionResult(call("t"), envelope("x".repeat(50)), own, 20).result).toMatch(/^x{5}…/);
  });

  it("OUT-01 a long error is cut too", () => {
    const failed = {
      ...envelope(null),
      success: false,
      status: "failed",
      error: "e".repeat(99),
      error_kind: "tool_error",
    };
    const { exception } = toFunctionResult(call("t"), failed as never, undefined, 30);
    expect(exception?.message).toContain("[truncated: 30 of 99 characters]");
  });

  it("OUT-02 an image stays in position for providers that accept it; the text names what it leaves out", () => {
    const answer = {
      content: [
        { type: "text", text: "before" },
        { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
        { type: "text", text: "after" },
      ],
    };
    const content = toFunctionResult(call("t"), envelope(answer), mcp, 1000);
    expect(content.items).toEqual([
      { type: "text", text: "before" },
      { type: "media", kind: "image", mimeType: "image/png", data: "aGVsbG8=", bytes: 5 },
      { type: "text", text: "after" },
    ]);
    expect(content.result).toBe("before\n[image left out: image/png, 5 bytes]\nafter");
  });

  it("OUT-02 media beyond what a request can carry become words; an own tool's look-alike answer stays JSON", () => {
    const huge = { content: [{ type: "image", data: "a".repeat(7_000_000), mimeType: "image/png" }] };
    expect(toFunctionResult(call("t"), envelope(huge), mcp, 1000)).toMatchObject({
      result: "[image left out: image/png, 5250000 bytes]",
    });
    expect(toFunctionResult(call("t"), envelope(huge), mcp, 1000).items).toBeUndefined();
    const own = toFunctionResult(call("t"), envelope({ content: [] }), undefined, 1000);
    expect(own.result).toBe('{"content":[]}');
  });

  it("TIME-04 a timeout reaches the model as the call's exception, with the sentence that says after how long", async () => {
    const { registry, executor } = invocationEngine();
    const hang = {
      name: "hang",
      description: "Never answers.",
      type: "function",
      handler: "hang",
      timeout_ms: 20,
    } as const;
    registry.registerFunction({ ...hang, parameters: { type: "object" } }, () => new Promise(() => {}));
    const content = await autoInvokeFunction(call("hang"), { executor, find: (name) => registry.get(name) });
    expect(content).toMatchObject({ exception: { kind: "timeout", message: "Tool 'hang' timed out after 20 ms" } });
  });
});
