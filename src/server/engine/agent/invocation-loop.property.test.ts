import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChatMessage, type FinishReason, listCalls } from "../../../lib/contract/chat";
import { ScriptedClient, type ScriptedStep } from "../../models/scripted-client.test-support";
import { withFunctionInvocation } from "./function-invoking-client";
import { invocationEngine, user } from "./invocation.test-support";

const NAMES = ["add", "echo", "fail", "nope", "delete_all", "constructor"];

const calls = fc.record({
  name: fc.constantFrom(...NAMES),
  arguments: fc.oneof(
    fc.constantFrom("{}", "{", "", "[1]", '{"a":1,"b":2}', "null"),
    fc.record({ a: fc.integer(), b: fc.integer() }),
    fc.dictionary(fc.string({ maxLength: 3 }), fc.integer(), { maxKeys: 2 }),
  ),
  callId: fc.constantFrom("0", "1", "same", ""),
});

const turns = fc.record({
  text: fc.constantFrom("", "So", "Well then"),
  calls: fc.array(calls, { maxLength: 4 }),
  finishReason: fc.constantFrom<FinishReason | undefined>(undefined, undefined, undefined, "length", "pause", "other"),
});

const limits = fc.record({
  maxIterations: fc.integer({ min: 1, max: 6 }),
  maxFunctionCalls: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
  maxConsecutiveErrors: fc.integer({ min: 0, max: 3 }),
  approvals: fc.constantFrom("return" as const, "wait" as const),
});

/** Checks what every provider demands: each call has its one result, before any other message, in the order of the calls. */
function expectPaired(messages: readonly ChatMessage[]): void {
  for (const [index, message] of messages.entries()) {
    const ids = listCalls(message).map(({ callId }) => callId);
    if (ids.length === 0) continue;
    const next = messages[index + 1];
    expect(next?.role).toBe("tool");
    expect(
      next?.contents.map((content) => (content.type === "function_result" ? content.callId : content.type)),
    ).toEqual(ids);
  }
}

describe("any model with any tools", () => {
  it("AGT-08 AGT-09 the loop ends, no call is orphaned or run twice, and results are in the order of the calls", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(turns, { minLength: 1, maxLength: 8 }),
        limits,
        fc.boolean(),
        async (script, limit, streaming) => {
          // A model that never stops: its script starts again.
          const endless: ScriptedStep[] = Array.from({ length: 30 }, (_, index) => {
            const { finishReason, ...turn } = script[index % script.length] as (typeof script)[number];
            return { ...turn, ...(finishReason === undefined ? {} : { finishReason }) };
          });
          const bare = new ScriptedClient(endless);
          const { invocation, tools, ran } = invocationEngine();
          const executed: string[] = [];
          const executor: typeof invocation.executor = {
            execute: (name, args, options) => {
              executed.push(options?.callId ?? "");
              return invocation.executor.execute(name, args, options);
            },
          };
          const client = withFunctionInvocation(bare);
          const options = { tools, invocation: { ...invocation, ...limit, executor } };
          let messages: ChatMessage[] = [];
          if (streaming) {
            for await (const update of client.getStreamingResponse([user("Go")], options)) {
              if (update.type === "response") messages = update.response.messages;
            }
          } else {
            messages = (await client.getResponse([user("Go")], options)).messages;
          }
          expect(bare.requests.length).toBeLessThanOrEqual(limit.maxIterations + 1);
          for (const request of bare.requests) expectPaired(request.messages);
          expect(new Set(executed).size).toBe(executed.length);
          expect(executed.length).toBeLessThanOrEqual(limit.maxFunctionCalls ?? Number.POSITIVE_INFINITY);
          expect(ran.length).toBeLessThanOrEqual(executed.length);
          const waits = messages.some(({ contents }) =>
            contents.some(({ type }) => type === "function_approval_request"),
          );
          if (!waits) expectPaired(messages);
        },
      ),
      { numRuns: 300 },
    );
  });
});
