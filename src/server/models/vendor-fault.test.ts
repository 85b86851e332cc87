import { describe, expect, it } from "vitest";
import { IncompleteResponseError, parseErrorText, VendorError } from "./vendor-error";
import { readRetryAfter, safeText, toFault } from "./vendor-fault";

const KEY = 'quite"secret/key=1';
const identity = { vendor: "Acme", apiKey: KEY };

describe("safeText", () => {
  it.each([
    ["as it is", KEY],
    ["in JSON", JSON.stringify({ key: KEY })],
    ["in an address", `https://acme.test/?key=${encodeURIComponent(KEY)}`],
    ["shortened, by a vendor's well-known beginning", "Incorrect key: sk-proj-****************abcd"],
    ["as a parameter of an address", "GET /v1?alt=sse&api_key=secret1&token=secret2 failed"],
    ["as an address's login", "cannot fetch http://user:password@acme.test/v1"],
  ])("takes a key out %s", (_where, text) => {
    const safe = safeText(text, identity);
    expect(safe).toContain("[redacted]");
    expect(safe).not.toMatch(/secret|abcd|password/);
  });

  it("takes a key out that lies across the cut", () => {
    const safe = safeText("x".repeat(495) + KEY + "y".repeat(100), identity);
    expect(safe).not.toContain("quite");
    expect(safe.length).toBeLessThan(560);
  });

  it("makes one line of many", () => {
    expect(safeText("a\n\n  b\t", identity)).toBe("a b");
  });
});

describe("readRetryAfter", () => {
  const headers = (values: Record<string, string>) => new Headers(values);

  it("reads seconds, milliseconds and dates", () => {
    expect(readRetryAfter(headers({ "retry-after": "1.5" }))).toBe(1500);
    expect(readRetryAfter(headers({ "retry-after-ms": "20", "retry-after": "9" }))).toBe(20);
    expect(readRetryAfter(headers({ "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }))).toBe(0);
    const inAnHour = readRetryAfter(headers({ "retry-after": new Date(Date.now() + 3_600_000).toUTCString() }));
    expect(inAnHour).toBeGreaterThan(3_000_000);
  });

  it("ignores what is no time", () => {
    expect(readRetryAfter(headers({ "retry-after": "soon" }))).toBeUndefined();
    expect(readRetryAfter(headers({ "retry-after-ms": "-1" }))).toBeUndefined();
    expect(readRetryAfter(undefined)).toBeUndefined();
  });
});

describe("toFault", () => {
  it.each([
    [{ status: 429, code: "insufficient_quota", message: "no money" }, "rate_limit", false],
    [{ status: 429, message: "slow down" }, "rate_limit", true],
    [{ status: 529, message: "busy" }, "overloaded", true],
    [{ status: 500, message: "oops" }, "unexpected", true],
    [{ status: 404, message: "no such model" }, "not_found", false],
    [{ status: 400, message: "model 'x' does not support tools" }, "no_tools", false],
    [{ status: 500, message: "registry.ollama.ai/library/x does not support tools" }, "no_tools", false],
    [{ status: 400, code: "context_length_exceeded", message: "too many" }, "context_length", false],
    [{ status: 400, message: "API key not valid." }, "auth", false],
    [{ code: "overloaded_error", message: "busy" }, "overloaded", true],
    [{ code: "invalid_request_error", message: "bad" }, "unexpected", false],
    [{ status: 500, message: "oops", headers: new Headers({ "x-should-retry": "false" }) }, "unexpected", false],
  ])("tells %o as %s", (answer, kind, retryable) => {
    expect(toFault(new VendorError(answer), identity)).toMatchObject({ error: { kind }, retryable });
  });

  it("waits as long as a body of Gemini asks", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "13.5s" }];
    const body = JSON.stringify({ error: { code: 429, message: "Quota.", status: "RESOURCE_EXHAUSTED", details } });
    const error = new VendorError({ ...parseErrorText(body, ""), headers: new Headers({ "retry-after": "2" }) });
    expect(toFault(error, identity)).toMatchObject({
      error: { kind: "rate_limit", message: "Acme is rate limiting requests (HTTP 429): Quota." },
      retryable: true,
      retryAfterMs: 13_500,
    });
  });

  it("keeps the status of an error whose body is no JSON", () => {
    const error = new VendorError({ ...parseErrorText("<html>", "Bad Gateway"), status: 502 });
    expect(toFault(error, identity)).toMatchObject({
      error: { kind: "unexpected", message: "Acme failed (HTTP 502): Bad Gateway" },
      retryable: true,
    });
  });

  it("tells a broken connection from an answer that cannot be read", () => {
    const broken = new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:9") });
    expect(toFault(broken, identity)).toMatchObject({
      retryable: true,
      error: { kind: "connection", message: "The connection to Acme failed: connect ECONNREFUSED 127.0.0.1:9." },
    });
    expect(toFault(new IncompleteResponseError(), identity).error.kind).toBe("connection");
    expect(toFault(new TypeError("terminated"), identity).error.kind).toBe("connection");
    expect(toFault(new SyntaxError("Unexpected token <"), identity).error.kind).toBe("protocol");
    expect(toFault(new Error("x is not iterable"), identity)).toMatchObject({
      retryable: false,
      error: { kind: "protocol" },
    });
  });
});
