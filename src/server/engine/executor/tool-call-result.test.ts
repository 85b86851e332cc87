import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { isToolCallResult, textOfStoredResult, textOfToolResult } from "./tool-call-result";

it("OUT-02 the text of a stored result is that of its value, whatever the result holds", () => {
  const block = fc.oneof(
    fc.record({ type: fc.constant("text"), text: fc.string({ unit: "binary" }) }),
    fc.record({ type: fc.constant("image"), data: fc.base64String(), mimeType: fc.constant("image/png") }),
    fc.dictionary(fc.string(), fc.jsonValue()),
  );
  const result = fc.record(
    { content: fc.array(block, { maxLength: 3 }), structuredContent: fc.jsonValue(), isError: fc.boolean() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(result, fc.jsonValue()), (value) => {
      const stored = JSON.stringify(value);
      const read: unknown = JSON.parse(stored);
      expect(textOfStoredResult(stored)).toBe(isToolCallResult(read) ? textOfToolResult(read) : null);
    }),
    { numRuns: 500 },
  );
});

it("structured content of a stored result is not parsed, and keeps its digits", () => {
  const lists = Array.from({ length: 300_000 }, () => "[]").join();
  const structured = `{"n":9007199254740993,"lists":[${lists}]}`;
  const parse = vi.spyOn(JSON, "parse");
  try {
    expect(textOfStoredResult(`{"content":[],"structuredContent":${structured}}`)).toBe(structured);
    expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(100);
  } finally {
    parse.mockRestore();
  }
});
