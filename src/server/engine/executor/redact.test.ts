import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../lib/contract";
import { hasSensitiveFields, redactArguments, redactText } from "./redact";

const SECRET = { type: "string", writeOnly: true };

describe("hiding sensitive arguments", () => {
  it("hides every value in an error text, however many there are", () => {
    const schema: JsonSchema = { type: "object", properties: { tokens: { type: "array", items: SECRET } } };
    const args = { tokens: Array.from({ length: 500 }, (_, at) => `<${at}>sk-planted`) };
    const text = redactText(`Denied for ${args.tokens.join(", ")}`, args, schema);
    expect(text).not.toContain("sk-planted");
    const few = { tokens: args.tokens.slice(0, 3) };
    expect(redactText("Denied for <1>sk-planted", few, schema)).toBe("Denied for [redacted]");
  });

  it("hides a named property that a pattern marks too", () => {
    const properties = { token: { type: "string" }, user: { type: "string" } };
    const schema: JsonSchema = { type: "object", properties, patternProperties: { "^tok": SECRET } };
    expect(JSON.stringify(redactArguments({ token: "sk-planted", user: "ann" }, schema))).not.toContain("sk-planted");
  });

  it("hides what an older schema describes by dependencies", () => {
    const dependencies = { user: { properties: { token: SECRET } } };
    const schema: JsonSchema = { type: "object", properties: { user: { type: "string" } }, dependencies };
    expect(JSON.stringify(redactArguments({ token: "sk-planted", user: "ann" }, schema))).not.toContain("sk-planted");
  });

  it("counts a mark that is nested too deeply to be looked for as one", () => {
    const deep = Array.from({ length: 60 }).reduce<JsonSchema>(
      (inner) => ({ type: "object", properties: { a: inner } }),
      SECRET,
    );
    expect(hasSensitiveFields(deep)).toBe(true);
    expect(hasSensitiveFields({ type: "object", properties: { a: { type: "string" } } })).toBe(false);
  });
});
