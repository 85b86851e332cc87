import { describe, expect, it } from "vitest";
import type { FunctionResultContent } from "../contract/chat";
import type { RunEvent, RunEventBody } from "../contract/run";
import { buildMessages, buildMessagesBeforeStep } from "./build-messages";

const log = (...bodies: RunEventBody[]): RunEvent[] => bodies.map((body, index) => ({ ...body, index, at: index }));
const said = (text: string): RunEventBody => ({
  type: "user_message",
  message: { role: "user", contents: [{ type: "text", text }] },
});
const started = (step: number): RunEventBody => ({
  type: "model_started",
  step,
  iteration: 1,
  toolChoice: "auto",
  toolCount: 1,
  provider: "p",
  model: "m",
});
const answered = (step: number, text: string, calls: string[] = [], partial = false): RunEventBody => ({
  type: "model_finished",
  step,
  finishReason: "stop",
  firstTokenMs: 1,
  durationMs: 2,
  ...(partial ? { partial } : {}),
  message: {
    role: "assistant",
    contents: [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...calls.map((callId) => ({ type: "function_call" as const, callId, name: "echo", arguments: "{}" })),
    ],
  },
});
const finished = (step: number, callId: string): RunEventBody => {
  const result: FunctionResultContent = { type: "function_result", callId, name: "echo", result: callId };
  return {
    type: "tool_finished",
    step,
    callId,
    name: "echo",
    result,
    status: "succeeded",
    executionId: null,
    durationMs: 1,
  };
};

const shape = (events: readonly RunEvent[]): string[] =>
  buildMessages(events).map(
    ({ role, contents }) =>
      `${role}: ${contents
        .map((content) => {
          if (content.type === "text") return content.text;
          return content.type === "function_call" || content.type === "function_result" ? content.callId : content.type;
        })
        .join(" ")}`,
  );

describe("the model's messages as a fold over a run's log", () => {
  it("puts each batch's results into one message after their answer, in the order of the calls", () => {
    const events = log(
      said("go"),
      started(1),
      answered(1, "", ["a", "b"]),
      finished(1, "b"),
      { type: "notice", step: 1, notice: "retry", text: "again" },
      finished(1, "a"),
      started(2),
      answered(2, "done"),
      { type: "turn_ended", status: "succeeded", error: null },
      said("more"),
    );
    expect(shape(events)).toEqual(["user: go", "assistant: a b", "tool: a b", "assistant: done", "user: more"]);
  });

  it("has the results that there are while a batch is not over, none when none came", () => {
    const events = log(said("go"), answered(1, "", ["a", "b"]), finished(1, "b"));
    expect(shape(events)).toEqual(["user: go", "assistant: a b", "tool: b"]);
    expect(shape(events.slice(0, 2))).toEqual(["user: go", "assistant: a b"]);
  });

  it("of an answer that was stopped keeps the text, not the calls that were being written", () => {
    expect(shape(log(said("go"), answered(1, "So", ["a"], true), said("on")))).toEqual([
      "user: go",
      "assistant: So",
      "user: on",
    ]);
    expect(shape(log(said("go"), answered(1, "", ["a"], true)))).toEqual(["user: go"]);
  });

  it("gives the messages that a chosen step was asked with", () => {
    const events = log(
      said("go"),
      started(1),
      answered(1, "", ["a"]),
      finished(1, "a"),
      started(2),
      answered(2, "done"),
    );
    expect(buildMessagesBeforeStep(events, 1)).toHaveLength(1);
    expect(buildMessagesBeforeStep(events, 2)).toHaveLength(3);
    expect(buildMessagesBeforeStep(events, 9)).toHaveLength(4);
  });
});
