import type { Content, FunctionDeclaration, GenerateContentConfig, Part } from "@google/genai";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ChatMessage, ChatOptions } from "../../lib/contract/chat";
import {
  ask,
  call,
  callsIn,
  lastBody,
  MODES,
  PNG,
  result,
  user,
  WEATHER,
} from "./chat-client-suite/suite-bench.test-support";
import { describeChatClient, type FakeVendor } from "./chat-client-suite.test-support";
import { FAKE_CALL_SIGNATURE, FAKE_TEXT_SIGNATURE, startFakeGemini } from "./fake-vendors/gemini.test-support";
import { gemini } from "./gemini/gemini";
import { VendorClient } from "./vendor-client";

/** A request as it is on the wire. */
interface Body {
  contents: Content[];
  tools: { functionDeclarations: FunctionDeclaration[] }[];
  toolConfig: { functionCallingConfig: { mode: string; allowedFunctionNames?: string[] } };
  systemInstruction: Content;
  generationConfig?: Pick<GenerateContentConfig, "maxOutputTokens" | "temperature" | "stopSequences">;
}

const declarationsIn = ({ tools }: Body) => tools.flatMap(({ functionDeclarations }) => functionDeclarations);
const partsIn = ({ contents }: Body) => contents.flatMap(({ parts = [] }) => parts);
const CHOICES: Record<string, "auto" | "none" | "required"> = { AUTO: "auto", NONE: "none", ANY: "required" };

describeChatClient({
  title: "GeminiClient",
  vendorName: "Gemini",
  startVendor: startFakeGemini,
  createClient: (options) => new VendorClient(gemini, options),
  takesImages: true,
  malformedArguments: "never",
  marksErrors: true,
  forcesTools: true,
  needsKey: true,
  cutOffs: ["MAX_TOKENS", "SAFETY", "MALFORMED_FUNCTION_CALL"],
  countsCached: true,
  propertyNames: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
  listedModels: ["gemini-fake-1", "gemini-fake-2"],
  toolNamesInRequest: (body: Body) => declarationsIn(body).map(({ name = "" }) => name),
  schemasInRequest: (body: Body) =>
    Object.fromEntries(declarationsIn(body).map(({ name, parametersJsonSchema }) => [name, parametersJsonSchema])),
  callsInRequest: (body: Body) =>
    partsIn(body).flatMap(({ functionCall }) =>
      functionCall ? [{ callId: functionCall.id ?? null, name: functionCall.name ?? "", args: functionCall.args }] : [],
    ),
  resultsInRequest: (body: Body) =>
    partsIn(body).flatMap(({ functionResponse }) => {
      const { id = null, response = {} } = functionResponse ?? {};
      const text = String(response.error ?? response.output);
      return functionResponse ? [{ callId: id, text, isError: Object.hasOwn(response, "error") }] : [];
    }),
  toolChoiceInRequest: ({ toolConfig: { functionCallingConfig } }: Body) => {
    const [name] = functionCallingConfig.allowedFunctionNames ?? [];
    return name === undefined ? (CHOICES[functionCallingConfig.mode] ?? "auto") : { name };
  },
  systemInRequest: ({ systemInstruction }: Body) => systemInstruction.parts?.map(({ text }) => text).join("\n") ?? "",
  maxOutputTokensInRequest: ({ generationConfig }: Body) => generationConfig?.maxOutputTokens,
});

describe("GeminiClient", () => {
  let vendor: FakeVendor;
  beforeEach(async () => {
    vendor = await startFakeGemini();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await vendor.close();
  });
  const client = (apiKey: string | null = "key-for-tests") => new VendorClient(gemini, { apiKey, baseUrl: vendor.url });
  async function sent(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<Body> {
    vendor.script([{ kind: "text", text: "Good." }]);
    await ask(client(), "whole", messages, options);
    return lastBody(vendor);
  }
  const modelParts = ({ contents }: Body): Part[] => contents.find(({ role }) => role === "model")?.parts ?? [];

  it.each(MODES)("gives the signature of a call back on that call (%s)", async (mode) => {
    const calls = ["Oslo", "Rome"].map((city) => ({ name: "get_weather", args: { city } }));
    vendor.script([{ kind: "calls", calls, reasoning: "Two cities." }]);
    const { response } = await ask(client(), mode, [user("Weather?")], { tools: [WEATHER] });
    expect(response.messages[0]?.contents[0]).toEqual({ type: "reasoning", text: "Two cities." });
    const body = await sent([user("Weather?"), ...response.messages], { tools: [WEATHER], model: "gemini-3-pro" });
    expect(modelParts(body)).toEqual([
      { functionCall: { name: "get_weather", args: { city: "Oslo" } }, thoughtSignature: FAKE_CALL_SIGNATURE },
      { functionCall: { name: "get_weather", args: { city: "Rome" } } },
    ]);
  });

  it.each(MODES)("gives the signature of a text back in a part of its own, as it came (%s)", async (mode) => {
    vendor.script([{ kind: "text", text: "Hello there", reasoning: "Be kind." }]);
    const { response } = await ask(client(), mode, [user("Hello")]);
    const body = await sent([user("Hello"), ...response.messages, user("Again")]);
    expect(modelParts(body)).toEqual([{ text: "Hello there" }, { text: "", thoughtSignature: FAKE_TEXT_SIGNATURE }]);
  });

  it("splits a text where its signed end began", async () => {
    const value = { provider: "gemini", thoughtSignature: "c2ln", text: "there" };
    const said: ChatMessage = {
      role: "assistant",
      contents: [
        { type: "text", text: "Hello there" },
        { type: "provider", provider: "gemini", value },
      ],
    };
    const body = await sent([user("Hello"), said, user("Again")]);
    expect(modelParts(body)).toEqual([{ text: "Hello " }, { text: "there", thoughtSignature: "c2ln" }]);
  });

  it("signs a call that another model made where the model wants signatures, and only there", async () => {
    const history: ChatMessage[] = [
      user("Weather?"),
      { role: "assistant", contents: [call("a", "get_weather", {}), call("b", "get_weather", {})] },
    ];
    const recent = await sent(history, { model: "gemini-3-pro" });
    const signatures = modelParts(recent).map(({ thoughtSignature }) => thoughtSignature);
    expect(signatures).toEqual(["skip_thought_signature_validator", undefined]);
    const older = await sent(history, { model: "gemini-2.5-flash" });
    expect(modelParts(older).every(({ thoughtSignature }) => thoughtSignature === undefined)).toBe(true);
  });

  it("OUT-02 puts an image into its result for recent models, and behind all results for older ones", async () => {
    const items = [{ type: "media" as const, kind: "image" as const, mimeType: "image/png", data: PNG, bytes: 70 }];
    const history: ChatMessage[] = [
      user("Draw"),
      { role: "assistant", contents: [call("a", "draw", {}), call("b", "draw", {})] },
      { role: "tool", contents: [{ ...result("a", "draw", "a chart"), items }, result("b", "draw", "none")] },
    ];
    const inlineData = { mimeType: "image/png", data: PNG };
    const response = (text: string, more = {}) => ({
      functionResponse: { name: "draw", response: { output: text }, ...more },
    });
    const recent = await sent(history, { model: "gemini-3-flash" });
    expect(recent.contents.slice(2)).toEqual([
      { role: "user", parts: [response("a chart", { parts: [{ inlineData }] }), response("none")] },
    ]);
    const older = await sent(history, { model: "gemini-2.5-flash" });
    expect(older.contents.slice(2)).toEqual([
      { role: "user", parts: [response("a chart"), response("none")] },
      { role: "user", parts: [{ inlineData }] },
    ]);
  });

  it.each([
    ["SAFETY", "refusal"],
    ["UNEXPECTED_TOOL_CALL", "other"],
    ["A_REASON_OF_TOMORROW", "other"],
  ])("understands the finish reason %s as %s", async (reason, finishReason) => {
    vendor.script([{ kind: "stop_reason", reason, text: "Well" }]);
    const { response } = await ask(client(), "streaming", [user("Hello")]);
    expect(response).toMatchObject({ finishReason, finishDetail: reason });
  });

  it.each(MODES)("AGT-03 tells of a call that the vendor could not read, and gives none (%s)", async (mode) => {
    vendor.script([{ kind: "raw_arguments", name: "get_weather", argumentsText: "city=Oslo" }]);
    const { response } = await ask(client(), mode, [user("Weather?")], { tools: [WEATHER] });
    expect(callsIn(response)).toEqual([]);
    expect(response.finishReason).toBe("other");
    expect(response.finishDetail).toBe("MALFORMED_FUNCTION_CALL");
  });

  it.each(MODES)("says why a prompt was refused (%s)", async (mode) => {
    vendor.script([{ kind: "refusal" }]);
    const { response } = await ask(client(), mode, [user("Hello")]);
    expect(response).toMatchObject({ finishReason: "refusal", finishDetail: "SAFETY: The prompt is declined." });
  });

  it("uses no key of the environment when it is configured without one", async () => {
    vi.stubEnv("GEMINI_API_KEY", "key-of-the-environment");
    vi.stubEnv("GOOGLE_GENAI_USE_VERTEXAI", "true");
    vendor.script([{ kind: "status", status: 400, message: "API key not valid. Please pass a valid API key." }]);
    await expect(client(null).getResponse([user("Hello")], { model: "m" })).rejects.toThrow(
      "Gemini requires an API key (HTTP 400). Give this provider its key.",
    );
    expect(vendor.requests[0]?.path).toBe("/v1beta/models/m:generateContent");
    expect(JSON.stringify(vendor.requests[0]?.headers)).not.toContain("of-the-environment");
  });

  it.each([
    ['data: {"error":{"code":503,"message":"Busy.","status":"UNAVAILABLE"}}\n\n', "overloaded", "(HTTP 503): Busy."],
    ['data: {"candidates":[{"con', "connection", "ended early"],
  ])("understands the end of the stream %j as %s", async (body, kind, words) => {
    const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
    const broken = new VendorClient(gemini, { apiKey: "k", baseUrl: vendor.url, retry: { maxAttempts: 1 }, fetch });
    const message = expect.stringContaining(words);
    await expect(ask(broken, "streaming", [user("Hi")])).rejects.toMatchObject({ kind, message });
  });

  it("passes the temperature on", async () => {
    expect((await sent([user("Hello")], { temperature: 0.25 })).generationConfig?.temperature).toBe(0.25);
  });

  it("passes on as many stop sequences as the API takes", async () => {
    const stopSequences = ["a", "b", "c", "d", "e", "f"];
    const body = await sent([user("Hello")], { stopSequences });
    expect(body.generationConfig?.stopSequences).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("leaves no listener on a signal that outlives its requests", async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    vendor.script([
      { kind: "text", text: "a" },
      { kind: "text", text: "b" },
    ]);
    for (const mode of MODES) await ask(client(), mode, [user("Hello")], { signal });
    expect(added).toHaveBeenCalledTimes(2);
    expect(removed).toHaveBeenCalledTimes(2);
  });
});
