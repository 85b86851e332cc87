import { expect, it } from "vitest";
import { formatJson, indentJsonText } from "./format-json";

it("indents values, and keeps a long text that is nested deeply on one line, which is not mostly indentation", () => {
  const records = Array.from({ length: 2_000 }, (_, index) => ({ index, list: [[1], { a: "x" }] }));
  expect(formatJson(records)).toBe(JSON.stringify(records, null, 2));
  const row: unknown = JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`);
  expect(formatJson([row])).toBe(JSON.stringify([row], null, 2));
  const rows = Array.from({ length: 100 }, () => row);
  expect(formatJson(rows)).toBe(JSON.stringify(rows));
});

it("indents a JSON text with the digits of its numbers, and leaves a text that was cut as it is", () => {
  expect(indentJsonText('{"id":9007199254740993,"price":1.0}')).toBe('{\n  "id": 9007199254740993,\n  "price": 1.0\n}');
  expect(indentJsonText('{"id":90071992547409')).toBe('{"id":90071992547409');
});
