import { describe, expect, it } from "vitest";
import type { FunctionCallContent } from "../../lib/contract/chat";
import type { JsonObject } from "../../lib/contract/json";
import { resolveFinish } from "./build-response";

function call(args: string | JsonObject): FunctionCallContent {
  return { type: "function_call", callId: "c1", name: "echo", arguments: args };
}

describe("resolveFinish", () => {
  it.each(['{"a":', "", "[1]", '"text"'])("does not call arguments complete that are no JSON object: %j", (args) => {
    expect(resolveFinish({ finish: null, reason: "odd", calls: [call({}), call(args)] })).toEqual({
      finishReason: "other",
    });
  });

  it("does not call a call complete that the provider has not finished", () => {
    expect(resolveFinish({ finish: null, reason: "odd", calls: [call({})], finished: false })).toEqual({
      finishReason: "other",
    });
  });

  it("executes complete calls of a paused response and of one without a reason, and says so", () => {
    const calls = [call("{}")];
    expect(resolveFinish({ finish: "pause", reason: "pause_turn", calls })).toEqual({
      finishReason: "tool_calls",
      unlistedFinishReason: "pause_turn",
    });
    expect(resolveFinish({ finish: null, reason: "", calls })).toEqual({
      finishReason: "tool_calls",
      unlistedFinishReason: "",
    });
  });

  it("leaves malformed arguments to the executor where the provider says that the calls are over", () => {
    for (const finish of ["tool_calls", "stop"] as const) {
      expect(resolveFinish({ finish, reason: finish, calls: [call("{]")] })).toEqual({ finishReason: "tool_calls" });
    }
  });

  it("keeps a long word short", () => {
    const { unlistedFinishReason } = resolveFinish({ finish: null, reason: "x".repeat(5000), calls: [call({})] });
    expect(unlistedFinishReason).toHaveLength(100);
  });
});
