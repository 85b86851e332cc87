import { expect, it } from "vitest";
import { toJsonText } from "../../../lib/json/known-text";
import { withProjection } from "./apply-lens";

it("a projection keeps the digits of large integers in text and structured content", () => {
  const result = { content: [{ type: "text", text: "whole" }], structuredContent: { id: 1 }, isError: false };
  const text = '{"id":12345678901234567890}';
  const projected = withProjection(result, { value: JSON.parse(text), text });
  expect(toJsonText(projected)).toBe(
    JSON.stringify({ isError: false, content: [{ type: "text", text }] }).replace(
      /}$/,
      `,"structuredContent":${text}}`,
    ),
  );
  expect(projected).toMatchObject({ structuredContent: JSON.parse(text) });
});
