import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../lib/contract/json";
import { findMasks, hasMask } from "../../../lib/masked-value";
import { CallMask } from "./call-mask";
import { maskedArguments, testMasking, toolWith } from "./masking.test-support";

const SECRET = { type: "string", writeOnly: true };
const MARKS: JsonSchema[] = [
  { type: "string", writeOnly: true },
  { type: "string", "x-sensitive": true },
  { type: "string", format: "password" },
];

interface Case {
  schema: JsonSchema;
  /** JSON text, and the same with the marked values masked. */
  text: string;
  expected: string;
  secrets: string[];
}

const space = fc.constantFrom("", " ", "\n  ", "\t");
let planted = 0;

/** A value with a schema that describes it, some strings of it marked in one of the ways a schema can. */
const { described } = fc.letrec<{ described: Case }>((tie) => ({
  described: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    plainCase(),
    secretCase(),
    objectCase(tie),
    arrayCase(tie),
  ),
}));

function plainCase(): fc.Arbitrary<Case> {
  const value = fc.oneof(fc.string({ maxLength: 8 }), fc.integer(), fc.boolean(), fc.constant(null));
  return value.map((plain) => ({
    schema: {},
    text: JSON.stringify(plain),
    expected: JSON.stringify(plain),
    secrets: [],
  }));
}

function secretCase(): fc.Arbitrary<Case> {
  return fc
    .tuple(fc.constantFrom(...MARKS), fc.string({ maxLength: 12 }), fc.boolean())
    .map(([mark, tail, isNumber]) => {
      planted += 1;
      const value = isNumber ? 770_000_000 + planted : `planted-${planted}-\\"\n${tail}`;
      const schema: JsonSchema = isNumber ? { writeOnly: true } : mark;
      const mask = testMasking.getMask(JSON.stringify(value));
      return { schema, text: JSON.stringify(value), expected: `"${mask}"`, secrets: [String(value)] };
    });
}

function objectCase(tie: (name: "described") => fc.Arbitrary<Case>): fc.Arbitrary<Case> {
  const members = fc.dictionary(fc.string({ maxLength: 5 }), tie("described"), { maxKeys: 4 });
  const wrap = fc.constantFrom("plain", "ref", "allOf", "anyOf", "additional");
  return fc.tuple(members, wrap, space).map(([parts, how, gap]) => {
    const entries = Object.entries(parts).filter(([key]) => key !== "__proto__");
    const one = how === "additional" && entries.length === 1 ? entries[0] : undefined;
    const properties = Object.fromEntries(entries.map(([key, part]) => [key, part.schema]));
    const object: JsonSchema = one ? { additionalProperties: one[1].schema } : { properties };
    const schema: JsonSchema =
      how === "allOf" ? { allOf: [{}, object] } : how === "anyOf" ? { anyOf: [object] } : object;
    const join = (of: "text" | "expected") =>
      `{${gap}${entries.map(([key, part]) => `${JSON.stringify(key)}${gap}:${gap}${part[of]}`).join(`,${gap}`)}${gap}}`;
    return {
      schema,
      text: join("text"),
      expected: join("expected"),
      secrets: entries.flatMap(([, part]) => part.secrets),
    };
  });
}

function arrayCase(tie: (name: "described") => fc.Arbitrary<Case>): fc.Arbitrary<Case> {
  return fc.tuple(fc.array(tie("described"), { maxLength: 3 }), space).map(([parts, gap]) => {
    const join = (of: "text" | "expected") => `[${parts.map((part) => gap + part[of]).join(`${gap},`)}]`;
    const schema: JsonSchema = { prefixItems: parts.map((part) => part.schema) };
    return { schema, text: join("text"), expected: join("expected"), secrets: parts.flatMap((part) => part.secrets) };
  });
}

describe("masking a call", () => {
  it("replaces every value that a schema marks, and no other byte", () => {
    fc.assert(
      fc.property(described, ({ schema, text, expected, secrets }) => {
        const parameters = { type: "object", $defs: { it: schema }, properties: { it: { $ref: "#/$defs/it" } } };
        const mask = new CallMask(toolWith({ parameters, outputSchema: parameters }), testMasking);
        const stored = mask.argumentsText(`{ "it" : ${text}}`);
        expect(stored).toBe(`{ "it" : ${expected}}`);
        for (const secret of secrets) {
          expect(mask.text(`Failed for ${secret} and ${JSON.stringify(secret)}`)).not.toContain(secret);
          expect(mask.resultText(JSON.stringify({ echo: [secret, JSON.stringify({ secret })] }))).not.toContain(secret);
        }
        expect(mask.restore(stored)).toBe(`{ "it" : ${text}}`);
      }),
      { numRuns: 400 },
    );
  });

  it("gives equal values one mask, whatever the order of their members and the way they are written", () => {
    const schema: JsonSchema = { type: "object", properties: { a: { writeOnly: true }, b: { writeOnly: true } } };
    const mask = new CallMask(toolWith({ parameters: schema }), testMasking);
    const stored = JSON.parse(mask.argumentsText('{"a":{"x":1,"y":"\\u0061bc"},"b":{"y":"abc", "x":1}}'));
    expect(stored.a).toBe(stored.b);
    expect(hasMask(stored.a)).toBe(true);
  });

  it("masks every one of duplicate members", () => {
    const schema: JsonSchema = { type: "object", properties: { token: SECRET } };
    const mask = new CallMask(toolWith({ parameters: schema }), testMasking);
    expect(mask.argumentsText('{"token":"planted-1","token":"planted-2"}')).not.toContain("planted");
  });

  it("masks listed paths of arguments and results, in which a star matches any member or item", () => {
    const sensitive = { arguments: ["/users/*/pin"], results: ["/content/0/text"] };
    const mask = new CallMask(toolWith({ sensitive }), testMasking);
    const args = mask.argumentsText('{"users":[{"pin":4711,"name":"ann"},{"pin":"0815"}],"pin":1}');
    expect(findMasks(JSON.parse(args))).toEqual(["/users/0/pin", "/users/1/pin"]);
    expect(args).toContain('"name":"ann"');
    expect(findMasks(JSON.parse(mask.resultText('{"content":[{"text":"planted"},{"text":"ok"}]}')))).toEqual([
      "/content/0/text",
    ]);
  });

  it("masks what the output schema of a server's tool marks, also where the content repeats it", () => {
    const outputSchema: JsonSchema = { type: "object", properties: { token: SECRET } };
    const implementation = { type: "mcp", server: "s", tool: "t" } as const;
    const mask = new CallMask(toolWith({ outputSchema, implementation }), testMasking);
    const structuredContent = { token: "planted-token", user: "ann" };
    const content = [{ type: "text", text: JSON.stringify(structuredContent) }];
    const stored = mask.resultText(JSON.stringify({ content, structuredContent }));
    expect(stored).not.toContain("planted-token");
    expect(JSON.parse(stored).structuredContent.user).toBe("ann");
  });

  it("hides every value in an error text, however many there are", () => {
    const parameters: JsonSchema = { type: "object", properties: { tokens: { type: "array", items: SECRET } } };
    const args = { tokens: Array.from({ length: 3000 }, (_, at) => `<${at}>sk-planted`) };
    const mask = new CallMask(toolWith({ parameters }), testMasking);
    mask.argumentsText(JSON.stringify(args));
    expect(mask.text(`Denied for ${args.tokens.join(", ")}`)).not.toContain("sk-planted");
  });

  it("masks a named property that a pattern marks too", () => {
    const properties = { token: { type: "string" }, user: { type: "string" } };
    const schema: JsonSchema = { type: "object", properties, patternProperties: { "^tok": SECRET } };
    expect(maskedArguments({ token: "sk-planted", user: "ann" }, schema)).not.toContain("sk-planted");
  });

  it("masks every member where an older schema describes them by dependencies", () => {
    const dependencies = { user: { properties: { token: SECRET } } };
    const schema: JsonSchema = { type: "object", properties: { user: { type: "string" } }, dependencies };
    const stored = maskedArguments({ token: "sk-planted", user: "ann" }, schema);
    expect(findMasks(JSON.parse(stored))).toEqual(["/token", "/user"]);
  });

  it("counts a mark that is nested too deeply to be looked for as one", () => {
    const deep = Array.from({ length: 80 }).reduce<JsonSchema>(
      (inner) => ({ type: "object", properties: { a: inner } }),
      SECRET,
    );
    const args = Array.from({ length: 80 }).reduce<unknown>((inner) => ({ a: inner }), "planted");
    expect(maskedArguments(args, deep)).not.toContain("planted");
  });

  it("leaves a call alone whose tool marks nothing", () => {
    const args = '{ "password" : "as sent" }';
    const mask = new CallMask(toolWith({}), testMasking);
    expect(mask.argumentsText(args)).toBe(args);
    expect(mask.resultText(args)).toBe(args);
  });
});

describe("values that are many, deep or large", () => {
  const marked = toolWith({ parameters: { type: "object", properties: { list: { type: "array", items: SECRET } } } });

  it("hide all of the arguments, after a number of masks that does not grow with them", () => {
    let masks = 0;
    const counted = {
      ...testMasking,
      getMask(text: string) {
        masks += 1;
        return testMasking.getMask(text);
      },
    };
    const list = Array.from({ length: 60_000 }, (_, index) => `secret number ${index}`);
    const shown = new CallMask(marked, counted).argumentsText(JSON.stringify({ list }));
    expect(shown).not.toContain("secret");
    expect(masks).toBeLessThan(12_000);
  });

  it.each([201, 300_000])("hide what is nested %i levels deep, and a text that repeats a part of it", (levels) => {
    const deep = `${"[".repeat(levels)}"hidden value"${"]".repeat(levels)}`;
    const mask = new CallMask(
      toolWith({ parameters: { type: "object", properties: { deep: { writeOnly: true } } } }),
      testMasking,
    );
    expect(mask.argumentsText(`{"deep":${deep}}`)).not.toContain("hidden value");
    expect(mask.text("It said hidden value")).not.toContain("hidden value");
  });
});

describe("the arguments of a tool that is not known", () => {
  const stored = (text: string): string => new CallMask(null, testMasking).argumentsText(text);
  const maskOf = (value: unknown): string => `"${testMasking.getMask(JSON.stringify(value))}"`;

  it("are masked by their keys and by known kinds of keys, and every other byte is as sent", () => {
    const key = fc.constantFrom("password", "apiKey", "api_key", "Authorization", "client-secret", "accessToken");
    const plain = fc.record({ model: fc.constantFrom("gpt-4o-mini", "us-east-1"), note: fc.lorem(), count: fc.nat() });
    const secret = fc.stringMatching(/^[a-z]{3}-[a-zé"\\ ]{4,12}$/);
    fc.assert(
      fc.property(key, secret, plain, space, fc.boolean(), (name, value, others, gap, isList) => {
        const rest = JSON.stringify(others).slice(1, -1);
        const build = (shown: string) =>
          `{${gap}${JSON.stringify(name)}${gap}:${gap}${isList ? `[${shown}]` : shown},${rest},"in":{"token":${shown}}}`;
        const text = build(JSON.stringify(value));
        expect(stored(text)).toBe(build(maskOf(value)));
      }),
    );
    const known = "sk-live0123456789abcdef";
    expect(stored(`{"note":${JSON.stringify(known)},"n":[1.5e3,"x"]}`)).toBe(
      `{"note":${maskOf(known)},"n":[1.5e3,"x"]}`,
    );
    expect(stored('{"password":12345678,"model":"gpt-4o-mini"}')).toBe(
      `{"password":${maskOf(12_345_678)},"model":"gpt-4o-mini"}`,
    );
  });

  it("are masked in the error that repeats them too", () => {
    const mask = new CallMask(null, testMasking);
    mask.argumentsText('{"password":"planted-value"}');
    expect(mask.text("Tool not found: planted-value")).not.toContain("planted");
  });
});
