import { describe, expect, it } from "vitest";
import type { ChatContent, ChatMessage } from "../../lib/contract/chat";
import { pairCalls, resultText } from "./pair-calls";

const user = (text: string): ChatMessage => ({ role: "user", contents: [{ type: "text", text }] });
const call = (callId: string): ChatContent => ({ type: "function_call", callId, name: "t", arguments: {} });
const result = (callId: string, text: string): ChatContent => ({
  type: "function_result",
  callId,
  name: "t",
  result: text,
});
const says = (...contents: ChatContent[]): ChatMessage => ({ role: "assistant", contents });
const gives = (...contents: ChatContent[]): ChatMessage => ({ role: "tool", contents });
const missing = { ...result("b", "not executed"), exception: { kind: "cancelled", message: "not executed" } };

describe("pairCalls", () => {
  it("leaves a conversation in good order as it is", () => {
    const messages = [user("hi"), says(call("a")), gives(result("a", "1")), user("on")];
    expect(pairCalls(messages)).toEqual(messages);
  });

  it("moves results up to their calls and completes calls without one", () => {
    const messages = [
      says(call("a"), call("b"), call("c")),
      user("wait"),
      gives(result("c", "3")),
      gives(result("a", "1")),
    ];
    expect(pairCalls(messages)).toEqual([
      says(call("a"), call("b"), call("c")),
      gives(result("a", "1"), missing as ChatContent, result("c", "3")),
      user("wait"),
    ]);
  });

  it("keeps two calls with one id apart, each with its own result", () => {
    const messages = [says(call("a")), gives(result("a", "1")), says(call("a")), gives(result("a", "2"))];
    expect(pairCalls(messages)).toEqual(messages);
  });

  it("drops results without a call, second results, and messages with nothing for a provider", () => {
    const empty = says({ type: "reasoning", text: "hm" }, { type: "text", text: "" });
    const messages = [gives(result("x", "?")), empty, says(call("a")), gives(result("a", "1"), result("a", "again"))];
    expect(pairCalls(messages)).toEqual([says(call("a")), gives(result("a", "1"))]);
  });

  it("keeps results of calls that the provider holds", () => {
    const messages = [gives(result("held", "1")), user("on")];
    expect(pairCalls(messages, { callsHeld: true })).toEqual(messages);
    expect(pairCalls(messages)).toEqual([user("on")]);
  });

  it("does not change its input", () => {
    const messages = [says(call("a")), gives(result("x", "?"))];
    const before = structuredClone(messages);
    pairCalls(messages);
    expect(messages).toEqual(before);
  });
});

describe("resultText", () => {
  const exception = { kind: "timeout" as const, message: "too slow" };
  const failed = { type: "function_result" as const, callId: "a", name: "t", exception };

  it("begins with `Error:` where the provider has no other mark", () => {
    expect(resultText(failed, "mark_errors")).toBe("Error: too slow");
    expect(resultText({ ...failed, result: "Error: too slow indeed" }, "mark_errors")).toBe("Error: too slow indeed");
    expect(resultText(failed, "plain")).toBe("too slow");
    expect(resultText({ type: "function_result", callId: "a", name: "t", result: "fine" }, "mark_errors")).toBe("fine");
  });
});
