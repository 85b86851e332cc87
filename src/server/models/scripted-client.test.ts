import { describe, expect, it } from "vitest";
import type { ChatMessage, ChatResponseUpdate } from "../../lib/contract/chat";
import { ChatClientError } from "../engine/agent/chat-ports";
import { ScriptedClient } from "./scripted-client.test-support";

const ASK: ChatMessage[] = [{ role: "user", contents: [{ type: "text", text: "Hello" }] }];

async function all(updates: AsyncIterable<ChatResponseUpdate>): Promise<ChatResponseUpdate[]> {
  const seen: ChatResponseUpdate[] = [];
  for await (const update of updates) seen.push(update);
  return seen;
}

describe("a scripted model", () => {
  it("AGT-11 says reasoning and text in pieces and calls as deltas, then the whole response", async () => {
    const client = new ScriptedClient([
      {
        reasoning: "I think",
        text: "Let me look.",
        calls: [
          { name: "a", arguments: { x: 1 } },
          { name: "b", arguments: '{"y":', callId: "mine" },
        ],
        usage: { inputTokens: 3, outputTokens: 4 },
      },
    ]);
    const updates = await all(client.getStreamingResponse(ASK));
    const joined = (type: "text" | "reasoning") => updates.map((u) => (u.type === type ? u.text : "")).join("");
    expect(joined("reasoning")).toBe("I think");
    expect(joined("text")).toBe("Let me look.");
    expect(updates.filter(({ type }) => type === "text").length).toBe(3);
    const deltas = updates.filter((update) => update.type === "call_delta");
    const written = (id: string) => deltas.map((d) => (d.callId === id ? d.argumentsDelta : "")).join("");
    expect([written("call_1"), written("mine")]).toEqual(['{"x":1}', '{"y":']);
    expect(updates.at(-1)).toEqual({
      type: "response",
      response: {
        messages: [
          {
            role: "assistant",
            contents: [
              { type: "reasoning", text: "I think" },
              { type: "text", text: "Let me look." },
              { type: "function_call", callId: "call_1", name: "a", arguments: { x: 1 } },
              { type: "function_call", callId: "mine", name: "b", arguments: '{"y":' },
            ],
          },
        ],
        finishReason: "tool_calls",
        usage: { inputTokens: 3, outputTokens: 4 },
      },
    });
  });

  it("takes one step a request, keeps what it was asked as it was then, and lets a function answer", async () => {
    const client = new ScriptedClient([
      { chunks: ["one ", "two"] },
      (messages, options) => ({ text: `${messages.length} ${String(options.toolChoice)}`, conversationId: "c1" }),
    ]);
    const messages = structuredClone(ASK);
    const first = await client.getResponse(messages);
    messages.push(...first.messages);
    const second = await client.getResponse(messages, { toolChoice: "none" });
    expect(first).toMatchObject({ finishReason: "stop", messages: [{ contents: [{ text: "one two" }] }] });
    expect(second).toMatchObject({ conversationId: "c1", messages: [{ contents: [{ text: "2 none" }] }] });
    expect(client.requests.map((request) => request.messages.length)).toEqual([1, 2]);
    expect(client.remaining).toBe(0);
    await expect(client.getResponse(messages)).rejects.toThrow("The script has 2 turns, and request 3 came");
  });

  it("fails after what it said, and tells of a request that is sent again", async () => {
    const client = new ScriptedClient([
      { retry: { text: "void", reason: "overloaded" }, text: "half", error: new ChatClientError("connection", "cut") },
    ]);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const update of client.getStreamingResponse(ASK)) seen.push(update.type);
    })();
    await expect(reading).rejects.toMatchObject({ kind: "connection", message: "cut" });
    expect(seen).toEqual(["text", "retry", "text"]);
  });

  it("an abort ends it at once: before it begins, between pieces, while it hangs and while a function thinks", async () => {
    const aborted = { name: "ChatClientError", kind: "aborted" };
    await expect(
      new ScriptedClient([{ text: "x" }]).getResponse(ASK, { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject(aborted);
    for (const step of [
      { text: "a b c", delayMs: 60_000 },
      { text: "a", hang: true },
      () => new Promise<never>(() => undefined),
    ]) {
      const stop = new AbortController();
      const answer = new ScriptedClient([step]).getResponse(ASK, { signal: stop.signal });
      setTimeout(() => stop.abort(), 5);
      await expect(answer).rejects.toMatchObject(aborted);
    }
    const stop = new AbortController();
    const updates = new ScriptedClient([{ text: "a b c" }]).getStreamingResponse(ASK, { signal: stop.signal });
    const reading = (async () => {
      for await (const _ of updates) stop.abort();
    })();
    await expect(reading).rejects.toMatchObject(aborted);
  });
});
