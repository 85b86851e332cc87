import { describe, expect, it } from "vitest";
import { AttemptHistory, computeBackoffMs } from "./connection/attempt-history";
import { DEFAULT_LIMITS } from "./connection/connection-limits";
import { findFormProblem } from "./interaction/check-request";
import { Redactor } from "./log/redactor";
import { compactMessage, expandMessage, RingBuffer } from "./log/server-log";
import { checkHeaderDeclarations } from "./session/lists";
import { resolveSettings } from "./session/resolve-settings";

describe("waiting times", () => {
  it("double up to the most, a quarter up or down", () => {
    const limits = { initialMs: 1000, maxMs: 60_000, factor: 2 };
    expect([1, 2, 3, 7, 1000].map((failures) => computeBackoffMs(failures, limits, () => 0.5))).toEqual([
      1000, 2000, 4000, 60_000, 60_000,
    ]);
    expect([computeBackoffMs(1, limits, () => 0), computeBackoffMs(1, limits, () => 1)]).toEqual([750, 1250]);
  });

  it("restart after a connection that lasted, and grow after one that did not", () => {
    let now = 0;
    const history = new AttemptHistory({ ...DEFAULT_LIMITS, quickFailureMs: 5000, maxQuickFailures: 5 }, () => now);
    for (let life = 0; life < 6; life += 1) {
      history.recordAttempt();
      history.recordSuccess();
      now += 100;
      history.recordLoss();
      history.recordFailure();
    }
    expect(history.canSkipWait).toBe(false);
    history.recordSuccess();
    now += 60_000;
    history.recordLoss();
    expect(history.recordFailure()).toBeLessThanOrEqual(1250);
    expect(history.canSkipWait).toBe(true);
    expect(history.spacingMs).toBe(DEFAULT_LIMITS.attemptSpacingMs);
  });
});

describe("Redactor", () => {
  it("redacts secrets verbatim, in JSON and in URLs, and credentials after a scheme", () => {
    const redactor = new Redactor();
    redactor.add('Bearer abc"def/ghi');
    expect(redactor.apply('abc"def/ghi')).toBe("[redacted]");
    expect(redactor.apply(JSON.stringify({ t: 'abc"def/ghi' }))).toBe('{"t":"[redacted]"}');
    expect(redactor.apply("?t=abc%22def%2Fghi")).toBe("?t=[redacted]");
  });

  it("leaves short values and mere references alone", () => {
    const redactor = new Redactor();
    for (const value of ["true", "$" + "{TOKEN_NAME}", null, undefined]) redactor.add(value);
    expect(redactor.apply("true $" + "{TOKEN_NAME}")).toBe("true $" + "{TOKEN_NAME}");
  });
});

describe("resolveSettings", () => {
  const common = { name: "x", enabled: true, protocol: "auto" as const, connectTimeoutMs: 1, roots: [] };
  const web = {
    ...common,
    transport: "http" as const,
    url: "https://a.example/mcp",
    headers: {},
    auth: { type: "none" as const },
  };

  it("fills in variables and remembers those that are secret", () => {
    const redactor = new Redactor();
    const variables = { API_KEY: "key-123456", PLACE: "somewhere" };
    const target = resolveSettings(
      { ...web, url: "https://a.example/$" + "{PLACE}?k=$" + "{API_KEY}", headers: { "X-Auth": "v $" + "{API_KEY}" } },
      variables,
      { rootDir: "/" },
      redactor,
    );
    expect(target).toMatchObject({
      headers: { "X-Auth": "v key-123456" },
      url: new URL("https://a.example/somewhere?k=key-123456"),
    });
    expect(redactor.apply("key-123456 somewhere")).toBe("[redacted] somewhere");
  });

  it("hides the login of an address in the environment or the command line: whole, its password, and in base64", () => {
    for (const where of ["env", "args"] as const) {
      const redactor = new Redactor();
      const address = "postgres://admin:p%40ssword-18fa@db.example.org/orders";
      const settings = { ...common, transport: "stdio" as const, command: "node", cwd: null };
      const env: Record<string, string> = where === "env" ? { DATABASE: address } : {};
      resolveSettings({ ...settings, env, args: where === "args" ? [address] : [] }, {}, { rootDir: "/" }, redactor);
      const basic = Buffer.from("admin:p@ssword-18fa").toString("base64");
      for (const text of [address, "p%40ssword-18fa", "p@ssword-18fa", "admin:p@ssword-18fa", basic]) {
        expect(redactor.apply(`at ${text} now`)).not.toMatch(/ssword/);
        expect(redactor.apply(`at ${text} now`)).not.toContain(basic);
      }
      expect(redactor.apply("db.example.org/orders of admin")).toBe("db.example.org/orders of admin");
    }
  });

  it.each([
    [{ url: "nonsense" }, /is not valid: enter one such as https/],
    [{ url: "ftp://a.example" }, /must begin with http/],
    [{ url: "https://me:secret@a.example" }, /must not contain a user name or password/],
    [{ headers: { "bad name": "x" } }, /The header 'bad name' cannot be sent/],
    [{ headers: { good: "line\nbreak-secret" } }, /^The header 'good' cannot be sent(?!.*break-secret)/],
    [{ headers: { k: "$" + "{MISSING_ONE}" } }, /The header 'k' needs \$\{MISSING_ONE\}, which is not set/],
  ])("refuses %o and names the setting", (given, reason) => {
    expect(() => resolveSettings({ ...web, ...given } as typeof web, {}, { rootDir: "/" }, new Redactor())).toThrow(
      reason,
    );
  });
});

describe("checkHeaderDeclarations", () => {
  const schema = (property: unknown) => ({
    type: "object",
    properties: { a: property, list: { type: "array", items: {} } },
  });

  it("finds good declarations, also deeper down", () => {
    const deep = schema({ type: "object", properties: { b: { type: "string", "x-mcp-header": "B" } } });
    expect(checkHeaderDeclarations(deep)).toEqual({ declared: true, problem: null });
    expect(checkHeaderDeclarations(schema({ type: "string", default: { "x-mcp-header": 1 } }))).toEqual({
      declared: false,
      problem: null,
    });
  });

  it.each([
    [schema({ type: "string", "x-mcp-header": "" }), /is not a valid header name/],
    [schema({ type: "string", "x-mcp-header": "a b" }), /is not a valid header name/],
    [schema({ type: "number", "x-mcp-header": "A" }), /not on a string, integer or boolean/],
    [schema({ anyOf: [{ type: "string", "x-mcp-header": "A" }] }), /not reached through 'properties' alone/],
    [{ type: "object", "x-mcp-header": "A" }, /not reached through 'properties' alone/],
    [
      { properties: { a: { type: "string", "x-mcp-header": "A" }, b: { type: "string", "x-mcp-header": "a" } } },
      /a second time/,
    ],
  ])("refuses %o", (given, problem) => {
    expect(checkHeaderDeclarations(given).problem).toMatch(problem);
  });
});

describe("findFormFault", () => {
  const schema = {
    properties: {
      s: { type: "string" },
      n: { type: "number" },
      i: { type: "integer" },
      b: { type: "boolean" },
      e: { enum: ["x"] },
      l: { type: "array" },
    },
    required: ["s"],
  };

  it("takes what fits and names the field that does not", () => {
    expect(findFormProblem(schema, { s: "", n: 1.5, i: 1, b: false, e: "x", l: ["a"], other: 1 })).toBeNull();
    expect(findFormProblem(schema, {})).toBe("'s' is missing");
    expect(findFormProblem(schema, { s: "", i: 1.5 })).toBe("'i' must be an integer");
    expect(findFormProblem(schema, { s: "", e: "y" })).toBe("'e' must be one of x");
    expect(findFormProblem(schema, { s: "", l: [1] })).toBe("'l' must be a list of strings");
  });
});

describe("what is kept of messages", () => {
  it("is the whole text where it is short, and the head where it is long, with or without the text", () => {
    const message = { jsonrpc: "2.0" as const, id: 1, result: { text: "x".repeat(1000) } };
    const text = JSON.stringify(message);
    expect(expandMessage(compactMessage(message, text, 5000))).toEqual({ text, bytes: text.length });
    expect(expandMessage(compactMessage(message, "", 5000))).toEqual({ text, bytes: text.length });
    expect(expandMessage(compactMessage(message, text, 50))).toEqual({
      text: text.slice(0, 50),
      bytes: text.length,
    });
    const guessed = expandMessage(compactMessage(message, "", 50));
    expect(guessed.text).toBe(text.slice(0, 50));
    expect(Math.abs(guessed.bytes - text.length)).toBeLessThan(100);
  });

  it("is the newest so many", () => {
    const ring = new RingBuffer<number>(3);
    for (const item of [1, 2, 3, 4, 5]) ring.add(item);
    expect(ring.list()).toEqual([3, 4, 5]);
  });
});
