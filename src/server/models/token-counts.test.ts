import { expect, it } from "vitest";
import type { ChatResponse } from "../../lib/contract/chat";
import { AnthropicReader } from "./anthropic/read-anthropic";
import { countTokens } from "./build-response";
import { NewCalls } from "./chat-turn";
import { GeminiReader } from "./gemini/read-gemini";
import { OllamaReader } from "./ollama/read-ollama";
import { CompletionsReader } from "./openai/read-completions";
import { ResponsesReader } from "./openai/read-responses";
import type { ResponseReader } from "./vendor";

const turn = () => ({ calls: new NewCalls([], String), options: {}, streaming: false, host: "p" });

function readWhole(reader: ResponseReader, body: unknown): ChatResponse {
  Array.from(reader.read(body));
  return reader.finish();
}

/** A body with these counts in each vendor's format. */
const READERS: Record<string, (input: unknown, output: unknown, cached: unknown, thought: unknown) => ChatResponse> = {
  anthropic: (input, output, cached, thought) => {
    const usage = {
      input_tokens: input,
      output_tokens: output,
      cache_read_input_tokens: cached,
      output_tokens_details: { thinking_tokens: thought },
    };
    return readWhole(new AnthropicReader(turn()), { id: "a", model: "m", content: [], stop_reason: "end_turn", usage });
  },
  gemini: (input, output, cached, thought) => {
    const usageMetadata = {
      promptTokenCount: input,
      candidatesTokenCount: output,
      cachedContentTokenCount: cached,
      thoughtsTokenCount: thought,
    };
    return readWhole(new GeminiReader(turn()), { candidates: [{ finishReason: "STOP" }], usageMetadata });
  },
  ollama: (input, output) =>
    readWhole(new OllamaReader(turn()), {
      message: { content: "Hi" },
      done: true,
      prompt_eval_count: input,
      eval_count: output,
    }),
  completions: (input, output, cached, thought) => {
    const usage = {
      prompt_tokens: input,
      completion_tokens: output,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: thought },
    };
    const body = { choices: [{ finish_reason: "stop", message: { content: "Hi" } }], usage };
    return readWhole(new CompletionsReader(turn()), body);
  },
  responses: (input, output, cached, thought) => {
    const usage = {
      input_tokens: input,
      output_tokens: output,
      input_tokens_details: { cached_tokens: cached },
      output_tokens_details: { reasoning_tokens: thought },
    };
    return readWhole(new ResponsesReader(turn()), { id: "r", model: "m", status: "completed", output: [], usage });
  },
};

const NO_COUNTS = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 3e9, "12", null, undefined, {}];

it.each(Object.entries(READERS))("AGT-01 %s: only whole numbers from 0 on become tokens", (_name, read) => {
  expect(read(10, 5, 0, 0).usage).toEqual(expect.objectContaining({ inputTokens: 10 }));
  for (const bad of NO_COUNTS) {
    expect(read(bad, bad, bad, bad).usage).toBeUndefined();
    expect(read(7, bad, bad, bad).usage).toEqual({ inputTokens: 7, outputTokens: 0 });
    expect(read(bad, 7, bad, bad).usage).toEqual({ inputTokens: 0, outputTokens: 7 });
  }
});

it("AGT-01 adds the parts of each side, and leaves out what is none of it", () => {
  expect(countTokens({ input: [3, undefined, 4], output: [5, Number.NaN], cached: 4, reasoning: -2 })).toEqual({
    inputTokens: 7,
    outputTokens: 5,
    cachedInputTokens: 4,
  });
  expect(countTokens({ input: [], output: [] })).toBeNull();
});
