import { describe, expect, it } from "vitest";
import { type ChatResponseUpdate, readMessageText } from "../../../lib/contract/chat";
import {
  ask,
  type Bench,
  callsIn,
  MODEL,
  type Mode,
  parsed,
  setUpBench,
  user,
  WEATHER,
} from "./suite-bench.test-support";
import type { SuiteSubject } from "./suite-subject.test-support";

const WITH_TOOLS = { tools: [WEATHER] };
const OSLO = { name: "get_weather", args: { city: "Oslo" } };
const ROME = { name: "get_weather", args: { city: "Rome" } };

/** The guarantees for answers. */
export function describeAnswers(subject: SuiteSubject, mode: Mode): void {
  const bench = setUpBench(subject);
  describeTexts(subject, mode, bench);
  describeCalls(mode, bench);
  describeCutCalls(subject, mode, bench);
}

function describeTexts(subject: SuiteSubject, mode: Mode, bench: Bench): void {
  it("gives the text, the model, and the tokens with cached ones among them", async () => {
    bench.vendor().script([{ kind: "text", text: "Good morning.", usage: { input: 120, output: 30, cached: 100 } }]);
    const { response, updates } = await ask(bench.client(), mode, [user("Hello")]);
    expect(response.messages.map(({ role }) => role)).toEqual(["assistant"]);
    expect(response.messages.map(readMessageText)).toEqual(["Good morning."]);
    expect(response.finishReason).toBe("stop");
    expect(response.usage).toMatchObject({
      inputTokens: 120,
      outputTokens: 30,
      ...(subject.countsCached ? { cachedInputTokens: 100 } : {}),
    });
    expect(response.model).toEqual(expect.any(String));
    if (mode === "streaming") expect(listTexts(updates)).toEqual(["Good m", "orning."].map(() => expect.any(String)));
    expect(listTexts(updates).join("")).toBe(mode === "streaming" ? "Good morning." : "");
  });

  it("keeps every character of a text, across chunks", async () => {
    const chunks = ["Zażółć ", "gęślą 🧪", "\n\n", 'data: {"a": 1}', "\r\n<b>"];
    bench.vendor().script([{ kind: "text", text: chunks.join(""), chunks }]);
    const { response } = await ask(bench.client(), mode, [user("Hello")]);
    expect(response.messages.map(readMessageText)).toEqual([chunks.join("")]);
  });

  it("says `length` for a text that the output limit cut", async () => {
    bench.vendor().script([{ kind: "truncated_text", text: "Once upon a" }]);
    const cut = await ask(bench.client(), mode, [user("Hello")]);
    expect(cut.response.finishReason).toBe("length");
    expect(cut.response.messages.map(readMessageText)).toEqual(["Once upon a"]);
  });

  it.runIf(subject.refuses ?? true)("says `refusal` for a refusal", async () => {
    bench.vendor().script([{ kind: "refusal" }]);
    const refused = await ask(bench.client(), mode, [user("Hello")]);
    expect(refused.response.finishReason).toBe("refusal");
  });

  it.runIf(mode === "streaming")(
    "AGT-11 passes text on before the answer is over, and leaving the loop ends the request",
    async () => {
      bench.vendor().script([{ kind: "hang", afterText: "Once" }]);
      for await (const update of bench.client().getStreamingResponse([user("Hello")], { model: MODEL })) {
        expect(update).toEqual({ type: "text", text: "Once" });
        break;
      }
      await bench.vendor().abandoned();
    },
  );
}

function describeCalls(mode: Mode, bench: Bench): void {
  it("gives one call with its id, its name and its arguments", async () => {
    bench.vendor().script([{ kind: "calls", calls: [OSLO], text: "I look it up." }]);
    const { response, updates } = await ask(bench.client(), mode, [user("Weather?")], WITH_TOOLS);
    const [call, ...others] = callsIn(response);
    expect(others).toEqual([]);
    expect(call).toMatchObject({ name: "get_weather", callId: expect.stringMatching(/./) });
    expect(call && parsed(call)).toEqual({ city: "Oslo" });
    expect(response.finishReason).toBe("tool_calls");
    expect(response.messages.map(readMessageText)).toEqual(["I look it up."]);
    if (mode === "streaming") expect(argumentsIn(updates)).toEqual(new Map([[call?.callId, { city: "Oslo" }]]));
  });

  it("gives parallel calls in their order, with ids of their own, also of one tool", async () => {
    bench.vendor().script([{ kind: "calls", calls: [OSLO, ROME, OSLO] }]);
    const { response } = await ask(bench.client(), mode, [user("Weather?")], WITH_TOOLS);
    const calls = callsIn(response);
    expect(calls.map(parsed)).toEqual([{ city: "Oslo" }, { city: "Rome" }, { city: "Oslo" }]);
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(3);
    expect(response.finishReason).toBe("tool_calls");
  });

  it("gives calls of two turns ids that differ", async () => {
    bench.vendor().script([
      { kind: "calls", calls: [OSLO] },
      { kind: "calls", calls: [OSLO] },
    ]);
    const first = await ask(bench.client(), mode, [user("Weather?")], WITH_TOOLS);
    const history = [user("Weather?"), ...first.response.messages];
    const second = await ask(bench.client(), mode, history, WITH_TOOLS);
    const ids = [first, second].flatMap(({ response }) => callsIn(response).map(({ callId }) => callId));
    expect(new Set(ids).size).toBe(2);
  });

  it.runIf(mode === "streaming")("AGT-11 puts calls together whose deltas alternate", async () => {
    bench.vendor().script([{ kind: "calls", calls: [OSLO, ROME], interleaved: true }]);
    const { response, updates } = await ask(bench.client(), mode, [user("Weather?")], WITH_TOOLS);
    const calls = callsIn(response);
    expect(calls.map(parsed)).toEqual([{ city: "Oslo" }, { city: "Rome" }]);
    expect([...argumentsIn(updates).values()]).toEqual([{ city: "Oslo" }, { city: "Rome" }]);
    expect([...argumentsIn(updates).keys()]).toEqual(calls.map(({ callId }) => callId));
  });

  it("gives a call without arguments an empty object", async () => {
    bench.vendor().script([{ kind: "calls", calls: [{ name: "get_weather", args: {} }] }]);
    const { response } = await ask(bench.client(), mode, [user("Weather?")], WITH_TOOLS);
    expect(callsIn(response).map(parsed)).toEqual([{}]);
  });

  it("gives a call of an unknown tool as it is", async () => {
    bench.vendor().script([{ kind: "calls", calls: [{ name: "constructor", args: {} }] }]);
    const { response } = await ask(bench.client(), mode, [user("Weather?")], WITH_TOOLS);
    expect(callsIn(response).map(({ name }) => name)).toEqual(["constructor"]);
  });
}

function describeCutCalls(subject: SuiteSubject, mode: Mode, bench: Bench): void {
  const canBreak = subject.malformedArguments === "both" || subject.malformedArguments === mode;

  it.runIf(canBreak)("AGT-03 keeps malformed arguments as text and throws nothing", async () => {
    const argumentsText = '{"city": "Oslo", }}';
    bench.vendor().script([{ kind: "raw_arguments", name: "get_weather", argumentsText }]);
    const { response } = await ask(bench.client(), mode, [user("Weather?")], WITH_TOOLS);
    expect(callsIn(response)).toMatchObject([{ name: "get_weather", arguments: argumentsText }]);
    expect(response.finishReason).toBe("tool_calls");
  });

  it("never says `tool_calls` for a call that the output limit cut", async () => {
    bench.vendor().script([{ kind: "truncated_call", name: "get_weather", argumentsText: '{"city":"Os' }]);
    const { response } = await ask(bench.client(), mode, [user("Weather?")], WITH_TOOLS);
    expect(response.finishReason).toBe("length");
  });

  it("gives complete calls as calls after a finish reason that is not documented, and names the reason", async () => {
    bench.vendor().script([{ kind: "calls", calls: [OSLO, ROME], ends: "budget_pause_2031" }]);
    const { response } = await ask(bench.client(), mode, [user("Weather?")], WITH_TOOLS);
    expect(callsIn(response).map(parsed)).toEqual([{ city: "Oslo" }, { city: "Rome" }]);
    expect(response).toMatchObject({ finishReason: "tool_calls", unlistedFinishReason: "budget_pause_2031" });
    expect(response.finishDetail).toContain("budget_pause_2031");
  });

  it.each(subject.cutOffs)("discards complete calls after the documented cut-off '%s'", async (ends) => {
    bench.vendor().script([{ kind: "calls", calls: [OSLO], ends }]);
    const { response } = await ask(bench.client(), mode, [user("Weather?")], WITH_TOOLS);
    expect(response.finishReason).not.toBe("tool_calls");
    expect(response.unlistedFinishReason).toBeUndefined();
  });

  describe("a call that was malformed or cut", () => {
    it("can stand in the history of a later request", async () => {
      bench.vendor().script([{ kind: "text", text: "I see." }]);
      const history = [
        user("Weather?"),
        {
          role: "assistant" as const,
          contents: [{ type: "function_call" as const, callId: "c1", name: "get_weather", arguments: '{"city":"Os' }],
        },
      ];
      const { response } = await ask(bench.client(), mode, history, WITH_TOOLS);
      expect(response.finishReason).toBe("stop");
      const sent = subject.callsInRequest(bench.vendor().requests[0]?.body)[0]?.args;
      expect(JSON.stringify(sent)).toContain("Os");
    });
  });
}

function listTexts(updates: ChatResponseUpdate[]): string[] {
  return updates.flatMap((update) => (update.type === "text" ? [update.text] : []));
}

/** Joins the deltas of each call, in the order in which the calls began. */
function argumentsIn(updates: ChatResponseUpdate[]): Map<string | undefined, unknown> {
  const texts = new Map<string, string>();
  for (const update of updates) {
    if (update.type !== "call_delta") continue;
    expect(update.name).toBe("get_weather");
    texts.set(update.callId, (texts.get(update.callId) ?? "") + update.argumentsDelta);
  }
  return new Map([...texts].map(([callId, text]) => [callId, JSON.parse(text)]));
}
