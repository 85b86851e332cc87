import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SecretMatcher, secretForms } from "./secret-matcher";

const buildMatcher = (secrets: readonly string[], replacement = "[redacted]") =>
  new SecretMatcher(new Map(secrets.flatMap(secretForms).map((form) => [form, replacement])));
const secret = fc.string({ minLength: 6, maxLength: 30, unit: fc.constantFrom(...'abAB01\\"/n\n ü{},.-+') });

describe("finding secrets in texts", () => {
  it("leaves no secret in a text, wherever it stands and however many there are", () => {
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 6 }), fc.array(fc.string()), (secrets, parts) => {
        const text = parts.map((part, at) => part + (secrets[at % secrets.length] ?? "")).join("");
        const replaced = buildMatcher(secrets, "").find(text);
        const covered = (at: number) => replaced.some(({ start, end }) => at >= start && at < end);
        for (const one of secrets) {
          for (let at = text.indexOf(one); at >= 0; at = text.indexOf(one, at + 1)) {
            for (let within = at; within < at + one.length; within += 1) expect(covered(within)).toBe(true);
          }
        }
      }),
    );
  });

  it("keeps JSON valid and leaves no string of it with a secret", () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), json, json, (secrets, before, after) => {
        const value = { before, secrets, note: `x${secrets[0]}y`, inner: JSON.stringify({ secrets }), after };
        const replaced = JSON.parse(buildMatcher(secrets).replaceInJson(JSON.stringify(value)));
        for (const one of secrets) {
          for (const text of [...replaced.secrets, replaced.note]) expect(text).not.toContain(one);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("replaces a number that is a secret, and no part of a longer one", () => {
    const matcher = buildMatcher(["48151623"]);
    expect(matcher.replaceInJson('{"pin":48151623,"id":148151623,"text":"48151623"}')).toBe(
      '{"pin":"[redacted]","id":148151623,"text":"[redacted]"}',
    );
  });

  it("does not take the letter of an escape for the beginning of a secret", () => {
    expect(buildMatcher(["nabcdef"]).replaceInJson('["\\nabcdef"]')).toBe('["\\nabcdef"]');
    expect(buildMatcher(["00e9abc"]).replaceInJson('["\\u00e9abc","00e9abc"]')).toBe('["\\u00e9abc","[redacted]"]');
  });

  it("leaves out the beginning of a secret at the end of a text that goes on", () => {
    expect(buildMatcher(["planted-value"]).replace("key: planted-va", true)).toBe("key: ");
    expect(buildMatcher(["planted-value"]).replace("key: planted-va")).toBe("key: planted-va");
  });

  it("finds secrets in URLs and in JSON within JSON", () => {
    const value = 'p"w&d /1';
    const matcher = buildMatcher([value]);
    const url = `https://x.example/?k=${encodeURIComponent(value)}`;
    const nested = JSON.stringify({ text: JSON.stringify({ value }) });
    expect(matcher.replace(url)).toBe("https://x.example/?k=[redacted]");
    expect(JSON.parse(JSON.parse(matcher.replaceInJson(nested)).text)).toEqual({ value: "[redacted]" });
  });
});

it("a value without a JSON text stays as it is", () => {
  const matcher = new SecretMatcher(new Map([["geheim", "***"]]));
  expect(matcher.replaceInValue(undefined)).toBeUndefined();
  expect(matcher.replaceInValue({ a: "geheim", b: undefined })).toEqual({ a: "***" });
});
