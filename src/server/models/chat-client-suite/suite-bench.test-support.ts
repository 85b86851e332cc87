import { afterEach, beforeEach, expect } from "vitest";
import {
  type ChatMessage,
  type ChatOptions,
  type ChatResponse,
  type ChatResponseUpdate,
  type ChatTool,
  type FunctionCallContent,
  type FunctionResultContent,
  listCalls,
} from "../../../lib/contract/chat";
import type { JsonObject } from "../../../lib/contract/json";
import { ChatClientError, type ModelConnection } from "../../engine/agent/chat-ports";
import type { FakeVendor } from "../fake-vendors/vendor-server.test-support";
import type { SuiteSubject } from "./suite-subject.test-support";

export const MODES = ["streaming", "whole"] as const;
export type Mode = (typeof MODES)[number];

export const KEY = "sk-test-4f9a8b7c6d5e4f3a2b1c";
export const MODEL = "fake-model";
/** One pixel. */
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

export const WEATHER: ChatTool = {
  name: "get_weather",
  description: "The weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

export interface Bench {
  vendor(): FakeVendor;
  client(): ModelConnection;
  /** The delays before each retry. */
  delays: number[];
}

/** A vendor and a client for each test, whose retries wait for nothing. */
export function setUpBench(subject: SuiteSubject): Bench {
  let vendor: FakeVendor;
  let client: ModelConnection;
  const delays: number[] = [];
  beforeEach(async () => {
    delays.length = 0;
    vendor = await subject.startVendor();
    const sleep = async (delayMs: number) => void delays.push(delayMs);
    client = subject.createClient({
      apiKey: KEY,
      baseUrl: vendor.url,
      retry: { maxAttempts: 3, sleep, random: () => 0 },
    });
  });
  afterEach(() => vendor.close());
  return { vendor: () => vendor, client: () => client, delays };
}

export interface Heard {
  response: ChatResponse;
  /** Empty where the answer came whole. */
  updates: ChatResponseUpdate[];
}

export async function ask(
  client: ModelConnection,
  mode: Mode,
  messages: readonly ChatMessage[],
  options: ChatOptions = {},
): Promise<Heard> {
  const all = { model: MODEL, ...options };
  if (mode === "whole") return { response: await client.getResponse(messages, all), updates: [] };
  const updates: ChatResponseUpdate[] = [];
  for await (const update of client.getStreamingResponse(messages, all)) updates.push(update);
  const last = updates.at(-1);
  if (last?.type !== "response") throw new Error("the stream ended without a response");
  expect(updates.filter(({ type }) => type === "response")).toHaveLength(1);
  return { response: last.response, updates };
}

/** Returns the error of an attempt; fails where it throws nothing or something that is no ChatClientError. */
export async function findFault(attempt: Promise<unknown>): Promise<ChatClientError> {
  const thrown = await attempt.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ChatClientError);
  return thrown as ChatClientError;
}

export function user(text: string): ChatMessage {
  return { role: "user", contents: [{ type: "text", text }] };
}

export function call(callId: string, name: string, args: string | JsonObject): FunctionCallContent {
  return { type: "function_call", callId, name, arguments: args };
}

export function result(callId: string, name: string, text: string): FunctionResultContent {
  return { type: "function_result", callId, name, result: text };
}

export function callsIn({ messages }: ChatResponse): FunctionCallContent[] {
  return messages.flatMap(listCalls);
}

/** Arguments as an object, whichever form the provider gives. */
export function parsed({ arguments: given }: FunctionCallContent): unknown {
  return typeof given === "string" ? JSON.parse(given) : given;
}

export function lastBody(vendor: FakeVendor): FakeVendor["requests"][number]["body"] {
  return vendor.requests.at(-1)?.body;
}
