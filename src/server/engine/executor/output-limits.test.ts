import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import { utf8Bytes } from "../../../lib/utf8-bytes";
import { createToolEngine } from "../../create-tool-engine";
import type { ExecutionEnd } from "../ports";
import { cutAtBytes, cutAtChars, modelView } from "./output-limits";

const success = (result: unknown): ExecutionEnvelope => ({
  success: true,
  result,
  status: "succeeded",
  tool_name: "t",
  execution_time_ms: 1,
  execution_id: "exec_1",
});

describe("output limits", () => {
  it("OUT-01 a long result is cut for the model with an indicator that says how much was left out", () => {
    const view = modelView(success("x".repeat(183_410)), 20_000);
    expect(view.text).toBe(`${"x".repeat(20_000)}… [truncated: 20,000 of 183,410 characters]`);
    expect(view).toMatchObject({ sentChars: 20_000, totalChars: 183_410, truncated: true });
  });

  it("OUT-01 a short result is complete: strings unchanged, the rest as JSON", () => {
    expect(modelView(success("plain"), 100).text).toBe("plain");
    expect(modelView(success({ a: [1] }), 100)).toMatchObject({ text: '{"a":[1]}', truncated: false });
    expect(modelView(success(null), 100).text).toBe("null");
  });

  it("OUT-01 an error reaches the model with the required parameters", () => {
    const failure: ExecutionEnvelope = {
      success: false,
      status: "failed",
      error: "Invalid parameters: missing 'a'",
      error_kind: "invalid_arguments",
      required_parameters: [{ name: "a", type: "string", description: "The first" }],
      tool_name: "t",
      execution_time_ms: 1,
      execution_id: "exec_1",
    };
    expect(modelView(failure, 1000).text).toBe(
      "Error: Invalid parameters: missing 'a'\nRequired parameters:\n- a (string): The first",
    );
  });

  it("OUT-01 never cuts inside a character, in bytes or in characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 1, max: 80 }), (text, limit) => {
        const bytes = cutAtBytes(text, limit);
        expect(Buffer.byteLength(bytes.text)).toBeLessThanOrEqual(limit);
        expect(text.startsWith(bytes.text)).toBe(true);
        expect(bytes.truncated).toBe(Buffer.byteLength(text) > limit);
        expect(utf8Bytes(text)).toBe(Buffer.byteLength(text));
        const chars = cutAtChars(text, limit);
        expect(chars.text.length).toBeLessThanOrEqual(limit);
        for (const cut of [bytes.text, chars.text]) expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });

  it("OUT-01 what is stored is whole up to its own limit, per tool or global, and both sizes are recorded", async () => {
    const ends: ExecutionEnd[] = [];
    const keep = async (_start: unknown, end: ExecutionEnd) => void ends.push(end);
    const { registry, executor } = createToolEngine({
      limits: { maxStoredBytes: 50, maxModelChars: 20 },
      journal: { begin: async () => {}, proceed: async () => true, finish: keep, record: keep },
    });
    const define = (name: string, more: object) =>
      registry.register({
        name,
        description: "Gives a long text",
        type: "function",
        handler: name,
        parameters: { type: "object" },
        implementation: { type: "mock", mock_response: "é".repeat(100) },
        ...more,
      });
    define("global", {});
    define("own", { max_stored_bytes: 1000, max_model_chars: 500 });
    const envelope = await executor.execute("global", {});
    expect(envelope).toMatchObject({ success: true, result: "é".repeat(100) });
    await executor.execute("own", {});
    expect(ends[0]).toMatchObject({
      resultTruncated: true,
      resultBytes: 202,
      storedBytes: 49,
      modelChars: 20,
      resultChars: 100,
    });
    expect(ends[1]).toMatchObject({ resultTruncated: false, resultBytes: 202, storedBytes: 202, modelChars: 100 });
  });
});
