import { expect, it } from "vitest";
import type { ChatResponse } from "../../../lib/contract";
import { toChatResponse } from "./anthropic/from-anthropic";
import { CallIds } from "./call-ids";
import { GeminiReader } from "./gemini/read-gemini";
import { readOllamaAnswer } from "./ollama/read-ollama";
import { readCompletion } from "./openai/read-chat-completions";
import { readResponse } from "./openai/read-responses";
import { tokenUsage } from "./token-counts";
import { toolAliases } from "./tool-aliases";

const aliases = toolAliases([], []);
const ids = () => new CallIds([]);

/** A body with these counts, as each vendor says them; `never` because vendors' types promise numbers. */
const READERS: Record<string, (input: unknown, output: unknown, cached: unknown, thought: unknown) => ChatResponse> = {
  anthropic: (input, output, cached, thought) => {
    const usage = {
      input_tokens: input,
      output_tokens: output,
      cache_read_input_tokens: cached,
      output_tokens_details: { thinking_tokens: thought },
    };
    const answer = { id: "a", model: "m", blocks: [], stopReason: "end_turn" as const, stopDetails: null };
    return toChatResponse({ ...answer, usage: usage as never }, aliases);
  },
  gemini: (input, output, cached, thought) => {
    const reader = new GeminiReader(aliases, ids());
    const usageMetadata = {
      promptTokenCount: input,
      candidatesTokenCount: output,
      cachedContentTokenCount: cached,
      thoughtsTokenCount: thought,
    };
    reader.read({ candidates: [{ finishReason: "STOP" }], usageMetadata } as never);
    return reader.finish();
  },
  ollama: (input, output) =>
    readOllamaAnswer(
      { message: { content: "Hi" }, done: true, prompt_eval_count: input, eval_count: output },
      aliases,
      ids(),
    ),
  completions: (input, output, cached, thought) => {
    const usage = {
      prompt_tokens: input,
      completion_tokens: output,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: thought },
    };
    const body = { choices: [{ finish_reason: "stop", message: { content: "Hi" } }], usage };
    return readCompletion(body, { aliases, ids: ids(), provider: "p" });
  },
  responses: (input, output, cached, thought) => {
    const usage = {
      input_tokens: input,
      output_tokens: output,
      input_tokens_details: { cached_tokens: cached },
      output_tokens_details: { reasoning_tokens: thought },
    };
    const body = { id: "r", model: "m", status: "completed", output: [], usage };
    return readResponse(body as never, { aliases, ids: ids(), conversationId: null });
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
  expect(tokenUsage({ input: [3, undefined, 4], output: [5, Number.NaN], cached: 4, reasoning: -2 })).toEqual({
    inputTokens: 7,
    outputTokens: 5,
    cachedInputTokens: 4,
  });
  expect(tokenUsage({ input: [], output: [] })).toBeNull();
});
