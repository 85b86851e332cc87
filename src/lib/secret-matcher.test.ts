import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeSpan, SecretMatcher, type SecretSpan, secretForms } from "./secret-matcher";

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

/** Periodic texts and keys, where each position may begin a match that fails late. */
const periodic = (maxChars: number) =>
  fc
    .record({
      part: fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom("a", "b") }),
      chars: fc.integer({ min: 6, max: maxChars }),
      end: fc.constantFrom("", "a", "b", "c"),
    })
    .map(({ part, chars, end }) => part.repeat(Math.ceil(chars / part.length)).slice(0, chars) + end);

/** Every match by comparing at every position, longest first. */
function findSlowly(text: string, keys: readonly string[]): SecretSpan[] {
  const longestFirst = [...new Set(keys)].sort((one, other) => other.length - one.length);
  const spans: SecretSpan[] = [];
  for (let start = 0; start < text.length; start += 1) {
    const form = longestFirst.find((key) => text.startsWith(key, start));
    if (form !== undefined) mergeSpan(spans, { start, end: start + form.length, form });
  }
  return spans;
}

describe("texts that repeat themselves as the secrets do", () => {
  const cases = fc.record({
    keys: fc.array(periodic(400), { minLength: 1, maxLength: 12 }),
    text: fc.array(periodic(1_500), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
  });

  it("has the same matches as comparing at every position", () => {
    fc.assert(
      fc.property(cases, ({ keys, text }) => {
        const matcher = new SecretMatcher(new Map(keys.map((key) => [key, ""])));
        expect(matcher.find(text)).toEqual(findSlowly(text, keys));
        expect(matcher.replace(text)).toBe(withoutSpans(text, findSlowly(text, keys)));
      }),
      { numRuns: 200 },
    );
  });

  it("takes a number of steps that grows with the text alone", () => {
    const checkSteps = (keys: readonly string[], text: string): void => {
      const work = { steps: 0 };
      new SecretMatcher(new Map(keys.map((key) => [key, ""]))).find(text, work);
      expect(work.steps).toBeLessThanOrEqual(8 * text.length + 10_000);
    };
    fc.assert(fc.property(cases, ({ keys, text }) => checkSteps(keys, text)));
    const prefixes = Array.from({ length: 400 }, (_, index) => "a".repeat(6 + index));
    checkSteps(prefixes, "a".repeat(100_000));
    checkSteps([`${"a".repeat(10_000)}b`], "a".repeat(100_000));
    checkSteps(
      Array.from({ length: 2_000 }, (_, index) => `sk-project-${index}-0123456789`),
      "sk-project-1x".repeat(8_000),
    );
  });

  it("finds the longest beginning of a secret at the end of a cut text", () => {
    fc.assert(
      fc.property(cases, ({ keys, text }) => {
        const whole = withoutSpans(text, findSlowly(text, keys));
        const begun = keys.flatMap((key) =>
          Array.from({ length: key.length }, (_, length) => length).filter((length) =>
            whole.endsWith(key.slice(0, length)),
          ),
        );
        const matcher = new SecretMatcher(new Map(keys.map((key) => [key, ""])));
        expect(matcher.replace(text, true)).toBe(whole.slice(0, whole.length - Math.max(...begun)));
      }),
    );
  });

  it("hides what is left of a text where the secrets are too large to be searched in it", () => {
    const matcher = new SecretMatcher(new Map([[`${"ab".repeat(600_000)}c`, "[redacted]"]]));
    const text = `before ${"ab".repeat(700_000)}`;
    expect(matcher.replace(text)).toMatch(/^before (?:ab){0,8}\[redacted\]$/);
    expect(matcher.replaceInJson(JSON.stringify([text]))).toBe('"[redacted]"');
  });
});

const withoutSpans = (text: string, spans: readonly SecretSpan[]): string =>
  spans.reduceRight((kept, { start, end }) => kept.slice(0, start) + kept.slice(end), text);

it("a value without a JSON text stays as it is", () => {
  const matcher = new SecretMatcher(new Map([["geheim", "***"]]));
  expect(matcher.replaceInValue(undefined)).toBeUndefined();
  expect(matcher.replaceInValue({ a: "geheim", b: undefined })).toEqual({ a: "***" });
});
