import { describe, expect, it } from "vitest";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { RunEvent } from "../../../lib/contract/run";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { CallMask } from "../../engine/masking/call-mask";
import { testMasking, toolWith } from "../../engine/masking/masking.test-support";
import { PartialResponse } from "./partial-response";
import { RunMask } from "./run-mask";

const SECRET = { type: "string", format: "password" };
const LOGIN: ToolDefinition = toolWith({
  name: "login",
  parameters: { type: "object", properties: { password: SECRET } },
});
const tools = { get: (name: string) => (name === LOGIN.name ? LOGIN : undefined) };
const call = { type: "function_call", callId: "c1", name: "login", arguments: '{ "password":"planted-1"}' } as const;

function answered(text: string, calls: readonly (typeof call)[] = []): RunEvent {
  const message = { role: "assistant" as const, contents: [{ type: "text" as const, text }, ...calls] };
  const ended = { finishReason: "stop" as const, firstTokenMs: null, durationMs: 1 };
  return { type: "model_finished", index: 0, at: 0, step: 1, message, ...ended };
}

describe("the stored log of a run", () => {
  it("has masks for marked arguments and wherever a later event repeats them", () => {
    const mask = new RunMask({ masking: testMasking, tools });
    const asked = mask.event(answered("I sign in", [call]));
    expect(JSON.stringify(asked)).not.toContain("planted");
    expect(JSON.stringify(asked)).toContain("[masked:");
    const started = { step: 1, callId: "c1", name: "login", executionId: "exec_1" };
    const event: RunEvent = { type: "tool_started", index: 1, at: 0, ...started, argumentsText: call.arguments };
    expect(JSON.stringify(mask.event(event))).not.toContain("planted");
    expect(JSON.stringify(mask.event(answered("Signed in with planted-1.")))).not.toContain("planted");
  });

  it("has masks for what the run's calls gave as marked results", () => {
    const mask = new RunMask({ masking: testMasking, tools });
    const definition = toolWith({ sensitive: { results: ["/token"] } });
    new CallMask(definition, testMasking, { values: mask.values }).resultText('{"token":"planted-2"}');
    expect(JSON.stringify(mask.event(answered("The token is planted-2")))).not.toContain("planted");
  });

  it("has the same mask for a call that the model repeats, so that a recorded result is found for it", () => {
    const [one, other] = [1, 2].map(() => new RunMask({ masking: testMasking, tools }).call(call));
    expect(one).toEqual(other);
    expect(JSON.stringify(one)).not.toContain("planted");
  });

  it("leaves events alone in which nothing is secret", () => {
    const mask = new RunMask({ masking: testMasking, tools });
    const event = answered("Hello");
    expect(mask.event(event)).toEqual(event);
  });
});

describe("a response that is being received", () => {
  const published: LiveEvent[] = [];
  const mask = new RunMask({ masking: testMasking, tools });
  mask.call(call);
  const partial = new PartialResponse("run_1", (event) => published.push(event), mask);

  it("shows no part of a secret, however it is cut, and all other text", () => {
    partial.begin(1);
    for (const piece of ["the key: pla", "nted", "-1 and pla", "nts"]) {
      partial.addText("text", piece);
      partial.flush();
    }
    const shown = published.map((event) => (event.type === "run_text" ? event.text : "")).join("");
    expect(shown).toMatch(/^the key: \[masked:[0-9a-f]{12}\] and plants$/);
    expect(partial.shown?.text).toBe(shown);
  });

  it("does not show the arguments of a tool that marks some, only that it is called", () => {
    published.length = 0;
    partial.begin(2);
    partial.addCall("c2", "login", '{"password":"other');
    partial.flush();
    partial.addCall("c2", "login", '-9"}');
    partial.end();
    expect(published).toMatchObject([{ type: "run_call", callId: "c2", name: "login", argumentsDelta: "" }]);
  });
});
