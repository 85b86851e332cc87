import { describe, expect, it } from "vitest";
import { type ChatMessage, type FunctionResultContent, listCalls, readMessageText } from "../../../lib/contract/chat";
import type { JsonObject } from "../../../lib/contract/json";
import { ScriptedClient, type ScriptedStep } from "../../models/scripted-client.test-support";
import { ChatClientError } from "./chat-ports";
import {
  type FunctionInvocationOptions,
  type InvocationUpdate,
  type InvokingChatOptions,
  useFunctionInvocation,
  withFunctionInvocation,
} from "./function-invoking-client";
import { call, invocationEngine, user } from "./invocation.test-support";

const InvokingScriptedClient = useFunctionInvocation(ScriptedClient);

/** A decorated client over a script, with an engine behind it. */
function conversation(script: ScriptedStep[], more: Partial<FunctionInvocationOptions> = {}) {
  const engine = invocationEngine();
  const client = new InvokingScriptedClient(script);
  const invocation = { ...engine.invocation, ...more };
  const options: InvokingChatOptions = { tools: engine.tools, invocation };
  return { ...engine, client, options, invocation };
}

async function listUpdates(updates: AsyncIterable<InvocationUpdate>): Promise<InvocationUpdate[]> {
  const all: InvocationUpdate[] = [];
  for await (const update of updates) all.push(update);
  return all;
}

const listResults = (messages: readonly ChatMessage[]): FunctionResultContent[] =>
  messages.flatMap(({ contents }) => contents.filter((content) => content.type === "function_result"));

describe("the decorator", () => {
  it("AGT-07 a decorated class is made and used like the class, with its own methods left as they are", async () => {
    const { client, options } = conversation([{ text: "Hello" }]);
    expect(client).toBeInstanceOf(ScriptedClient);
    expect(await client.listModels()).toEqual(["scripted"]);
    const response = await client.getResponse([user("Hi")], options);
    expect(response.messages.map(readMessageText)).toEqual(["Hello"]);
    expect(client.requests).toHaveLength(1);
  });

  it("AGT-07 getResponse and getStreamingResponse both execute calls", async () => {
    const script = (): ScriptedStep[] => [{ calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { text: "Three" }];
    const plain = conversation(script());
    const response = await plain.client.getResponse([user("1+2")], plain.options);
    const streamed = conversation(script());
    const updates = await listUpdates(streamed.client.getStreamingResponse([user("1+2")], streamed.options));
    const last = updates.at(-1);
    const withoutIds = (messages: readonly ChatMessage[]) =>
      JSON.parse(
        JSON.stringify(messages)
          .replaceAll(/exec_\w+/g, "exec")
          .replaceAll(/"durationMs":[\d.]+/g, '"durationMs":1'),
      ) as unknown;
    expect(last?.type === "response" && withoutIds(last.response.messages)).toEqual(withoutIds(response.messages));
    expect([plain.client.requests[0]?.streaming, streamed.client.requests[0]?.streaming]).toEqual([false, true]);
  });

  it("AGT-07 without an invocation a chat passes untouched, calls included", async () => {
    const { client, tools, ran } = conversation([{ calls: [{ name: "echo" }] }]);
    const response = await client.getResponse([user("Hi")], { tools });
    expect(response.finishReason).toBe("tool_calls");
    expect(ran).toEqual([]);
    const streaming = conversation([{ text: "Hi" }]);
    const updates = await listUpdates(streaming.client.getStreamingResponse([user("Hi")]));
    expect(updates.map(({ type }) => type)).toEqual(["text", "response"]);
  });

  it("AGT-07 the decorator's defaults apply where a call does not override them", async () => {
    const engine = invocationEngine();
    const Decorated = useFunctionInvocation(ScriptedClient, { invocation: engine.invocation, tools: engine.tools });
    const client = new Decorated([{ calls: [{ name: "echo", arguments: { x: 1 } }] }, { text: "Done" }]);
    expect((await client.getResponse([user("Hi")])).messages).toHaveLength(3);
    expect(engine.ran).toEqual([{ name: "echo", args: { x: 1 } }]);
  });
});

describe("the loop", () => {
  it("AGT-08 calls are executed, told as one message with role tool in call order, and the model is asked again until it calls no more", async () => {
    const { client, options } = conversation([
      { calls: [{ name: "slow" }, { name: "add", arguments: '{"a":1,"b":2}' }] },
      { calls: [{ name: "echo", arguments: { n: 3 } }] },
      { text: "Done" },
    ]);
    const response = await client.getResponse([user("Go")], options);
    expect(response.messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant", "tool", "assistant"]);
    expect(listResults(response.messages).map(({ result }) => result)).toEqual(["late", "3", '{"n":3}']);
    expect(client.requests.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
    expect(client.requests[1]?.messages[2]?.contents.map((content) => content.type)).toEqual([
      "function_result",
      "function_result",
    ]);
    expect(client.remaining).toBe(0);
  });

  it("AGT-08 the caller's messages are not changed, and tokens of all answers are added up", async () => {
    const usage = { inputTokens: 10, outputTokens: 2, cachedInputTokens: 4 };
    const { client, options } = conversation([
      { calls: [{ name: "echo" }], usage },
      { calls: [{ name: "echo", arguments: { x: 1 } }] },
      { text: "Done", usage: { inputTokens: 20, outputTokens: 3, reasoningTokens: 1 } },
    ]);
    const messages = Object.freeze([user("Go")]) as ChatMessage[];
    const response = await client.getResponse(messages, options);
    expect(response.usage).toEqual({ inputTokens: 30, outputTokens: 5, cachedInputTokens: 4, reasoningTokens: 1 });
    expect(messages).toHaveLength(1);
  });

  it("AGT-08 failures, malformed arguments and unknown tools are reported to the model, and the run continues", async () => {
    const { client, options } = conversation([
      { calls: [{ name: "fail" }, { name: "echo", arguments: "{" }, { name: "nope" }] },
      { text: "Sorry" },
    ]);
    const response = await client.getResponse([user("Go")], options);
    expect(listResults(response.messages).map(({ exception }) => exception?.kind)).toEqual([
      "tool_error",
      "malformed_arguments",
      "not_found",
    ]);
    expect(readMessageText(response.messages.at(-1) as ChatMessage)).toBe("Sorry");
  });

  it("AGT-09 after ten rounds the model is asked once more, with tools switched off but still named", async () => {
    const script: ScriptedStep[] = Array.from({ length: 10 }, (_, n) => ({
      calls: [{ name: "echo", arguments: { n } }],
    }));
    const { client, options, ran } = conversation([...script, { text: "Enough" }]);
    const updates = await listUpdates(client.getStreamingResponse([user("Go")], options));
    expect(client.requests).toHaveLength(11);
    expect(client.requests.slice(0, 10).every(({ options: { toolChoice } }) => toolChoice !== "none")).toBe(true);
    expect(client.requests[10]?.options.toolChoice).toBe("none");
    expect(client.requests[10]?.options.tools).toHaveLength(5);
    expect(ran).toHaveLength(10);
    expect(updates).toContainEqual(expect.objectContaining({ type: "notice", notice: "iterations_exhausted" }));
  });

  it("AGT-09 maxIterations is the caller's to set; a model that calls all the same is answered, not obeyed, and that is the end", async () => {
    const { client, options, ran } = conversation(
      [
        { calls: [{ name: "echo", arguments: { n: 1 } }] },
        { text: "But", calls: [{ name: "echo", arguments: { n: 2 } }] },
      ],
      { maxIterations: 1 },
    );
    const response = await client.getResponse([user("Go")], options);
    expect(ran).toHaveLength(1);
    expect(listResults(response.messages).at(-1)?.exception?.kind).toBe("limit_reached");
    expect(client.remaining).toBe(0);
  });

  it("AGT-09 maxFunctionCalls bounds what is executed; calls beyond are refused and tools go off", async () => {
    const calls = [1, 2, 3].map((n) => ({ name: "echo", arguments: { n } }));
    const { client, options, ran } = conversation([{ calls }, { text: "Done" }], { maxFunctionCalls: 2 });
    const response = await client.getResponse([user("Go")], options);
    expect(ran).toHaveLength(2);
    expect(listResults(response.messages)[2]?.exception?.kind).toBe("limit_reached");
    expect(client.requests[1]?.options.toolChoice).toBe("none");
  });

  it("AGT-09 three batches with failures in a row switch tools off; a successful batch resets the count", async () => {
    const bad = (n: number): ScriptedStep => ({ calls: [{ name: "fail", arguments: { n } }] });
    const { client, options } = conversation([
      bad(1),
      bad(2),
      { calls: [{ name: "echo" }] },
      bad(3),
      bad(4),
      bad(5),
      { text: "Giving up" },
    ]);
    await client.getResponse([user("Go")], options);
    expect(client.requests.map(({ options: { toolChoice } }) => toolChoice === "none")).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  it("AGT-09 with maxConsecutiveErrors 0 the first failure switches tools off", async () => {
    const { client, options } = conversation([{ calls: [{ name: "fail" }] }, { text: "Oh" }], {
      maxConsecutiveErrors: 0,
    });
    await client.getResponse([user("Go")], options);
    expect(client.requests[1]?.options.toolChoice).toBe("none");
  });

  it("AGT-09 a model that must call is free after its first answer, so that it can come to an end", async () => {
    const { client, options } = conversation([{ calls: [{ name: "echo" }] }, { text: "Done" }]);
    await client.getResponse([user("Go")], { ...options, toolChoice: "required" });
    expect(client.requests.map(({ options: { toolChoice } }) => toolChoice)).toEqual(["required", "auto"]);
  });

  it("AGT-09 with toolChoice none nothing is executed, and a call made all the same has its result", async () => {
    const { client, options, ran } = conversation([{ calls: [{ name: "echo" }] }]);
    const response = await client.getResponse([user("Go")], { ...options, toolChoice: "none" });
    expect(listResults(response.messages)).toHaveLength(1);
    expect(ran).toEqual([]);
  });

  it("AGT-08 the third identical call is flagged, and its result tells the model", async () => {
    const same: ScriptedStep = { calls: [{ name: "add", arguments: '{"a":1,"b":2}' }] };
    const { client, options } = conversation([
      same,
      { calls: [{ name: "add", arguments: { b: 2, a: 1 } }] },
      same,
      { text: "3" },
    ]);
    const updates = await listUpdates(client.getStreamingResponse([user("Go")], options));
    const notices = updates.filter((update) => update.type === "notice");
    expect(notices).toEqual([
      { type: "notice", notice: "repeated_call", text: "'add' has now been called 3 times with the same arguments" },
    ]);
    const told = client.requests[3]?.messages.at(-1)?.contents[0] as FunctionResultContent;
    expect(told.result).toMatch(/^3\n\[This very call has now been made 3 times/);
  });

  it("AGT-08 the third same failure carries the note in its exception", async () => {
    const same: ScriptedStep = { calls: [{ name: "fail" }] };
    const { client, options } = conversation([same, same, same, { text: "No" }], { maxConsecutiveErrors: 9 });
    const response = await client.getResponse([user("Go")], options);
    expect(listResults(response.messages)[2]?.exception?.message).toContain("made 3 times");
  });

  it("AGT-08 call ids that come again are made unique before anything is executed; a call said twice is made once", async () => {
    const twice = { name: "echo", arguments: { n: 1 }, callId: "0" };
    const { client, options, ran } = conversation([
      { calls: [twice, twice] },
      {
        calls: [
          { ...twice, arguments: { n: 2 } },
          { ...twice, arguments: { n: 3 } },
          { ...twice, callId: "" },
        ],
      },
      { text: "Done" },
    ]);
    const response = await client.getResponse([user("Go")], options);
    const ids = response.messages.flatMap(listCalls).map(({ callId }) => callId);
    expect(ids).toEqual(["0", "0_2", "0_3", "call_2"]);
    expect(listResults(response.messages).map(({ callId }) => callId)).toEqual(ids);
    expect(ran).toHaveLength(4);
  });

  it("AGT-08 of an answer with thousands of calls 128 are executed, and each has its result", async () => {
    const calls = Array.from({ length: 3000 }, (_, n) => ({ name: "echo", arguments: { n }, callId: "same" }));
    const { client, options, ran } = conversation([{ calls }, { text: "Done" }]);
    const response = await client.getResponse([user("Go")], options);
    expect(ran).toHaveLength(128);
    expect(listResults(response.messages)).toHaveLength(3000);
    expect(listResults(response.messages).at(-1)?.exception?.kind).toBe("limit_reached");
  });

  it("AGT-03 an arguments object that is nested too deeply is refused, and the run continues", async () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 20_000; level += 1) deep = { deep };
    const bare = new ScriptedClient([{ text: "Oh" }]);
    const asked: ChatMessage = { role: "assistant", contents: [call("echo", deep)] };
    let first = true;
    const client = withFunctionInvocation({
      getResponse: async (messages, options) => {
        if (!first) return bare.getResponse(messages, options);
        first = false;
        return { messages: [asked], finishReason: "tool_calls" };
      },
      getStreamingResponse: () => bare.getStreamingResponse([]),
    });
    const { invocation, tools, ran } = invocationEngine();
    const response = await client.getResponse([user("Go")], { tools, invocation });
    expect(listResults(response.messages)[0]?.exception?.kind).toBe("malformed_arguments");
    expect(ran).toEqual([]);
  });

  it("AGT-08 a tool's name of any length is cut before it goes anywhere", async () => {
    const { client, options } = conversation([{ calls: [{ name: "x".repeat(100_000) }] }, { text: "Oh" }]);
    const response = await client.getResponse([user("Go")], options);
    expect(JSON.stringify(response.messages).length).toBeLessThan(2000);
  });

  it("AGT-08 complete calls run after a finish reason that is not documented, and a note names the reason", async () => {
    const { client, options, ran } = conversation([
      { calls: [{ name: "echo", arguments: "{}" }], finishReason: "tool_calls", unlistedFinishReason: "odd_end" },
      { text: "Done" },
    ]);
    const updates = await listUpdates(client.getStreamingResponse([user("Go")], options));
    expect(ran).toHaveLength(1);
    expect(updates).toContainEqual(
      expect.objectContaining({ notice: "unlisted_finish_reason", text: expect.stringContaining("(odd_end)") }),
    );
  });

  it.each(["length", "refusal", "other"] as const)(
    "AGT-08 calls of an answer that ended with %s may be cut off: they are not executed, and the model is informed",
    async (finishReason) => {
      const { client, options, ran } = conversation([
        { calls: [{ name: "echo", arguments: "{}" }], finishReason, finishDetail: "max_tokens" },
        { text: "Shorter" },
      ]);
      const updates = await listUpdates(client.getStreamingResponse([user("Go")], options));
      expect(ran).toEqual([]);
      const told = client.requests[1]?.messages.at(-1)?.contents[0] as FunctionResultContent;
      expect(told.exception?.kind).toBe("truncated_call");
      expect(updates).toContainEqual(expect.objectContaining({ notice: "truncated_call" }));
    },
  );

  it("AGT-08 a response that the provider paused is sent back to continue", async () => {
    const { client, options } = conversation([{ text: "So", finishReason: "pause" }, { text: " far" }]);
    const response = await client.getResponse([user("Go")], options);
    expect(response.messages.map(readMessageText).join("")).toBe("So far");
    expect(client.requests[1]?.messages).toHaveLength(2);
  });

  it("AGT-08 an executor that rejects does not leave a call without its result", async () => {
    const executor = { execute: () => Promise.reject(new Error("no disk")) };
    const { client, options } = conversation([{ calls: [{ name: "echo" }] }, { text: "Oh" }], { executor });
    const response = await client.getResponse([user("Go")], options);
    expect(listResults(response.messages)[0]?.exception).toEqual({
      kind: "unexpected",
      message: "The call could not be carried out: no disk",
    });
  });

  it("AGT-08 recorded results are returned in place of an execution", async () => {
    const recorded: FunctionResultContent = { type: "function_result", callId: "call_1", name: "echo", result: "then" };
    const { client, options, ran } = conversation([{ calls: [{ name: "echo" }, { name: "slow" }] }, { text: "Done" }], {
      recorded: (asked) => (asked.name === "echo" ? recorded : null),
    });
    const response = await client.getResponse([user("Go")], options);
    expect(listResults(response.messages).map(({ result }) => result)).toEqual(["then", "late"]);
    expect(ran.map(({ name }) => name)).toEqual(["slow"]);
  });
});

describe("history held by the provider", () => {
  it("AGT-10 a response with a conversationId clears the messages: only results are sent, with the id", async () => {
    const { client, options } = conversation([
      { calls: [{ name: "echo" }], conversationId: "conv_1" },
      { calls: [{ name: "slow" }], conversationId: "conv_2" },
      { text: "Done", conversationId: "conv_3" },
    ]);
    const response = await client.getResponse([user("Go")], options);
    expect(client.requests.map(({ options: { conversationId } }) => conversationId)).toEqual([
      undefined,
      "conv_1",
      "conv_2",
    ]);
    expect(client.requests.slice(1).map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ["tool"],
      ["tool"],
    ]);
    expect(response.conversationId).toBe("conv_3");
    expect(response.messages).toHaveLength(5);
  });

  it("AGT-10 open calls of a held conversation are executed, and only their results are sent", async () => {
    const { client, options } = conversation([{ text: "Done", conversationId: "conv_2" }]);
    const asked: ChatMessage = { role: "assistant", contents: [call("echo", { n: 1 })] };
    await client.getResponse([asked], { ...options, conversationId: "conv_1" });
    expect(client.requests[0]?.messages.map(({ role }) => role)).toEqual(["tool"]);
    expect(client.requests[0]?.options.conversationId).toBe("conv_1");
  });
});

describe("streaming", () => {
  it("AGT-11 text streams as the model writes it; execution and the next response follow in the same stream", async () => {
    const { client, options } = conversation([
      { chunks: ["Let me ", "see. "], calls: [{ name: "add", arguments: '{"a":1,"b":2}' }] },
      { text: "Three" },
    ]);
    const updates = await listUpdates(client.getStreamingResponse([user("1+2")], options));
    expect(updates.map((update) => (update.type === "text" ? update.text : update.type))).toEqual([
      "model_started",
      "Let me ",
      "see. ",
      "call_delta",
      "call_delta",
      "model_finished",
      "call_started",
      "call_finished",
      "tool_message",
      "model_started",
      "Three",
      "model_finished",
      "response",
    ]);
  });

  it("AGT-11 nothing is executed before the answer it follows from was taken", async () => {
    const { client, options, ran } = conversation([{ calls: [{ name: "echo" }] }, { text: "Done" }]);
    for await (const update of client.getStreamingResponse([user("Go")], options)) {
      if (update.type !== "call_started" && update.type !== "model_finished") continue;
      await new Promise((resolve) => setImmediate(resolve));
      expect(ran.length).toBeLessThan(client.requests.length);
    }
    expect(ran).toHaveLength(1);
  });

  it("AGT-11 results come as calls end, the message with all of them in call order", async () => {
    const { client, options } = conversation([{ calls: [{ name: "slow" }, { name: "echo" }] }, { text: "Done" }]);
    const updates = await listUpdates(client.getStreamingResponse([user("Go")], options));
    const ended = updates.flatMap((update) => (update.type === "call_finished" ? update.call.name : []));
    expect(ended).toEqual(["echo", "slow"]);
    const told = updates.flatMap((update) => (update.type === "tool_message" ? listResults([update.message]) : []));
    expect(told.map(({ name }) => name)).toEqual(["slow", "echo"]);
  });

  it("AGT-11 a stop in the middle of an answer ends it at once", async () => {
    const { client, options } = conversation([{ text: "Once upon", hang: true }]);
    const stop = new AbortController();
    const reading = (async () => {
      for await (const update of client.getStreamingResponse([user("Go")], { ...options, signal: stop.signal })) {
        if (update.type === "text" && update.text.startsWith("upon")) stop.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ name: "ChatClientError", kind: "aborted" });
  });

  it("AGT-11 a stop during calls cancels them, gives each its result, and asks the model no more", async () => {
    const stop = new AbortController();
    const { client, options, invocation } = conversation([{ calls: [{ name: "slow" }, { name: "echo" }] }]);
    const stoppable = { ...invocation, options: { signal: stop.signal } };
    const results: FunctionResultContent[] = [];
    const reading = (async () => {
      const given = { ...options, signal: stop.signal, invocation: stoppable };
      for await (const update of client.getStreamingResponse([user("Go")], given)) {
        if (update.type === "call_finished" && update.call.name === "echo") stop.abort();
        if (update.type === "tool_message") results.push(...listResults([update.message]));
      }
    })();
    await expect(reading).rejects.toMatchObject({ kind: "aborted" });
    expect(results).toMatchObject([{ exception: { kind: "cancelled" } }, { result: "{}" }]);
    expect(client.requests).toHaveLength(1);
  });

  it("AGT-11 a model's error is thrown as it is, after what was said before", async () => {
    const error = new ChatClientError("overloaded", "Try later");
    const { client, options } = conversation([{ text: "So ", error }]);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const update of client.getStreamingResponse([user("Go")], options)) seen.push(update.type);
    })();
    await expect(reading).rejects.toBe(error);
    expect(seen).toEqual(["model_started", "text"]);
  });

  it("AGT-11 a stream that ends without an answer is an error, not an endless wait", async () => {
    const silent = withFunctionInvocation({
      getResponse: () => Promise.reject(new Error("not asked")),
      async *getStreamingResponse() {
        yield { type: "text", text: "…" } as const;
      },
    });
    const { invocation } = invocationEngine();
    await expect(listUpdates(silent.getStreamingResponse([user("Go")], { invocation }))).rejects.toMatchObject({
      kind: "protocol",
    });
    await expect(
      withFunctionInvocation(new ScriptedClient([{ text: "Hi" }])).getResponse([user("Go")]),
    ).resolves.toMatchObject({
      finishReason: "stop",
    });
  });
});

describe("approval", () => {
  const script = (): ScriptedStep[] => [
    {
      calls: [
        { name: "delete_all", arguments: { table: "users" } },
        { name: "add", arguments: { a: 1, b: 2 } },
      ],
    },
    { text: "Done" },
  ];

  it("AGT-05 the call waits, its neighbours run, and the model is not asked before a user was", async () => {
    const { client, options, ran } = conversation(script());
    const response = await client.getResponse([user("Clean up")], options);
    expect(ran.map(({ name }) => name)).toEqual(["add"]);
    expect(client.requests).toHaveLength(1);
    const requests = response.messages.flatMap(({ contents }) =>
      contents.filter((content) => content.type === "function_approval_request"),
    );
    expect(requests).toMatchObject([{ id: "call_1", functionCall: { name: "delete_all" } }]);
  });

  it.each([
    [true, "deleted"],
    [false, undefined],
  ])(
    "AGT-05 answered with %s, the conversation continues with all results in call order, and nothing runs twice",
    async (approved, result) => {
      const { client, options, ran } = conversation(script());
      const before = [user("Clean up")];
      const { messages } = await client.getResponse(before, options);
      const functionCall = call("delete_all", { table: "drafts" }, "call_1");
      const answer: ChatMessage = {
        role: "user",
        contents: [{ type: "function_approval_response", id: "call_1", approved, functionCall, reason: "no" }],
      };
      const response = await client.getResponse([...before, ...messages, answer], options);
      expect(client.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
      expect(listResults(client.requests[1]?.messages ?? []).map(({ callId }) => callId)).toEqual(["call_1", "call_2"]);
      expect(listResults(response.messages)[0]?.result?.split("\n")[0]).toBe(result);
      expect(ran.filter(({ name }) => name === "add")).toHaveLength(1);
      expect(ran.filter(({ name }) => name === "delete_all")).toHaveLength(approved ? 1 : 0);
      if (approved) expect(ran.at(-1)?.args).toEqual({ table: "drafts" });
    },
  );

  it("AGT-05 a user's no is not counted as a failure", async () => {
    const { client, options } = conversation([{ text: "All right" }], { maxConsecutiveErrors: 0 });
    const functionCall = call("delete_all");
    const messages: ChatMessage[] = [
      user("Clean up"),
      { role: "assistant", contents: [functionCall] },
      {
        role: "user",
        contents: [{ type: "function_approval_response", id: functionCall.callId, approved: false, functionCall }],
      },
    ];
    await client.getResponse(messages, options);
    expect(client.requests[0]?.options.toolChoice).toBeUndefined();
  });

  it("AGT-05 requests without an answer stay open, and what was said after them is kept", async () => {
    const { client, options } = conversation([...script(), { text: "Hm" }]);
    const before = [user("Clean up")];
    const { messages } = await client.getResponse(before, options);
    const again = await client.getResponse([...before, ...messages, user("Well?")], options);
    expect(client.requests).toHaveLength(1);
    expect(again.finishReason).toBe("tool_calls");
    expect(again.messages.flatMap(({ contents }) => contents.map(({ type }) => type))).toContain(
      "function_approval_request",
    );
  });

  it("AGT-05 where the executor asks, the call just takes as long as that", async () => {
    const { client, options } = conversation(script(), { approvals: "wait" });
    const updates = await listUpdates(client.getStreamingResponse([user("Clean up")], options));
    const started = updates.flatMap((update) => (update.type === "call_started" ? update.call.name : []));
    expect(started).toEqual(["delete_all", "add"]);
    expect(client.requests).toHaveLength(2);
  });
});
