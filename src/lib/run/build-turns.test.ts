import { describe, expect, it } from "vitest";
import { buildTurns } from "./build-turns";
import { answered, asked, called, DONE, returned, runLog, said, waited } from "./run-log.test-support";
import { addUsage } from "./usage";

const listSteps = (turn: ReturnType<typeof buildTurns>[number] | undefined) =>
  (turn?.items ?? []).flatMap((item) => (item.kind === "step" ? [item.step] : []));

describe("buildTurns", () => {
  it("AGT-08 makes a turn of each message, with every step's words and calls in the order of the model", () => {
    const turns = buildTurns(
      runLog(
        said("both"),
        asked(1),
        answered(1, "Let me see.", [
          ["echo", '{"a":1}'],
          ["calculator", '{"expression":"2^10"}'],
        ]),
        called(1, 1, "calculator", '{"expression":"2^10"}'),
        called(1, 0, "echo", '{"a":1}'),
        returned(1, 1, "calculator", "1024"),
        returned(1, 0, "echo", '{"echo":{"a":1}}'),
        asked(2),
        answered(2, "1024"),
        DONE,
        said("again"),
        asked(3, 1),
      ),
    );
    expect(turns).toHaveLength(2);
    const [first, second] = turns;
    const [one, two] = listSteps(first);
    expect(one?.calls.map(({ name, status, result }) => [name, status, result?.result])).toEqual([
      ["echo", "succeeded", '{"echo":{"a":1}}'],
      ["calculator", "succeeded", "1024"],
    ]);
    expect(two?.answer?.text).toBe("1024");
    expect(first).toMatchObject({
      end: { status: "succeeded" },
      figures: { modelCalls: 2, toolCalls: 2 },
      eventCount: 10,
      key: 0,
    });
    expect(first?.usage).toEqual({ inputTokens: 200, outputTokens: 20 });
    expect(second).toMatchObject({ end: null, eventCount: 2, key: 10 });
    expect(listSteps(second)[0]?.answer).toBeNull();
  });

  it("AGT-05 shows a call that waits for a user as waiting, and as finished once its result is there", () => {
    const log = runLog(
      said("delete"),
      asked(1),
      answered(1, "", [["delete", "{}"]]),
      called(1, 0, "delete"),
      waited(1, 0, "delete"),
      waited(1, 0, "delete", true),
      returned(1, 0, "delete", "gone"),
    );
    const callAfter = (count: number) => listSteps(buildTurns(log.slice(0, count))[0])[0]?.calls[0];
    expect(callAfter(3)).toMatchObject({ status: "requested", executionId: null });
    expect(callAfter(4)).toMatchObject({ status: "running", approval: false, executionId: "exec_c10" });
    expect(callAfter(5)).toMatchObject({ status: "waiting", approval: true });
    expect(callAfter(6)).toMatchObject({ status: "running" });
    expect(callAfter(7)).toMatchObject({ status: "succeeded", durationMs: 50 });
  });

  it("AGT-03 keeps a call that was never executed, with its exception and without an execution", () => {
    const [turn] = buildTurns(
      runLog(said("x"), asked(1), answered(1, "", [["echo", "{broken"]]), {
        type: "tool_finished",
        step: 1,
        callId: "c10",
        name: "echo",
        result: {
          type: "function_result",
          callId: "c10",
          name: "echo",
          exception: { kind: "malformed_arguments", message: "no JSON" },
        },
        status: "failed",
        executionId: null,
        durationMs: 0,
      }),
    );
    expect(listSteps(turn)[0]?.calls[0]).toMatchObject({
      status: "failed",
      executionId: null,
      argumentsText: "{broken",
      result: { exception: { kind: "malformed_arguments" } },
    });
  });

  it("continues the turn after a resume, and says what had ended it", () => {
    const [turn, ...more] = buildTurns(
      runLog(
        said("x"),
        asked(1),
        { type: "model_failed", step: 1, errorKind: "overloaded", error: "busy", durationMs: 5 },
        { type: "turn_ended", status: "failed", error: "busy" },
        { type: "resumed" },
        { type: "notice", step: 2, notice: "retry", text: "asked again" },
        asked(2),
        answered(2, "hi"),
        DONE,
      ),
    );
    expect(more).toEqual([]);
    expect(turn?.items.map(({ kind }) => kind)).toEqual(["step", "resumed", "notice", "step"]);
    expect(turn?.items[1]).toMatchObject({ end: { status: "failed", error: "busy" } });
    expect(listSteps(turn)[0]?.failure).toMatchObject({ errorKind: "overloaded", error: "busy" });
    expect(turn?.end).toMatchObject({ status: "succeeded" });
  });

  it("counts a notice that is repeated in a row instead of listing it again", () => {
    const retry = { type: "notice", step: 1, notice: "retry", text: "connection lost" } as const;
    const [turn] = buildTurns(runLog(said("x"), asked(1), retry, retry, { ...retry, text: "busy" }, retry));
    const notices = turn?.items.flatMap((item) => (item.kind === "notice" ? [[item.text, item.count]] : []));
    expect(notices).toEqual([
      ["connection lost", 2],
      ["busy", 1],
      ["connection lost", 1],
    ]);
  });

  it("reads a log that begins in the middle, and one with nothing in it", () => {
    expect(buildTurns([])).toEqual([]);
    const [turn] = buildTurns(runLog(answered(4, "rest"), DONE));
    expect(turn?.message).toBeNull();
    expect(listSteps(turn)[0]).toMatchObject({ step: 4, answer: { text: "rest" } });
  });

  it("takes arguments that a provider gave as an object, and joins the pieces of a text", () => {
    const [turn] = buildTurns(
      runLog(said("x"), asked(1), {
        type: "model_finished",
        step: 1,
        message: {
          role: "assistant",
          contents: [
            { type: "reasoning", text: "hm" },
            { type: "text", text: "a" },
            { type: "text", text: "b" },
            { type: "function_call", callId: "c10", name: "echo", arguments: { a: [1] } },
          ],
        },
        finishReason: "tool_calls",
        firstTokenMs: null,
        durationMs: 3,
      }),
    );
    const [step] = listSteps(turn);
    expect(step?.answer).toMatchObject({ text: "ab", reasoning: "hm", usage: null });
    expect(step?.calls[0]?.argumentsText).toBe('{"a":[1]}');
  });
});

describe("addUsage", () => {
  it("adds reported counts and leaves unreported ones absent", () => {
    expect(addUsage({ inputTokens: 1, outputTokens: 2 }, { inputTokens: 3, outputTokens: 4 })).toEqual({
      inputTokens: 4,
      outputTokens: 6,
    });
    expect(
      addUsage({ inputTokens: 1, outputTokens: 2, cachedInputTokens: 1 }, { inputTokens: 3, outputTokens: 4 }),
    ).toEqual({ inputTokens: 4, outputTokens: 6, cachedInputTokens: 1 });
  });
});
