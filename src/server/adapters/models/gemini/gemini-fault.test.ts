import { ApiError } from "@google/genai";
import { describe, expect, it } from "vitest";
import { toGeminiFault } from "./gemini-fault";

const identity = { vendor: "Gemini", apiKey: "key-for-tests" };

describe("toGeminiFault", () => {
  it("waits as long as the body asks", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "13.5s" }];
    const message = JSON.stringify({ error: { code: 429, message: "Quota.", status: "RESOURCE_EXHAUSTED", details } });
    expect(toGeminiFault(new ApiError({ status: 429, message }), identity, {})).toMatchObject({
      error: { kind: "rate_limit", message: "Gemini takes no more requests for now (HTTP 429): Quota." },
      retryable: true,
      retryAfterMs: 13_500,
    });
  });

  it("reads an error that a stream reported, behind the client's own words", () => {
    const message = `got status: UNAVAILABLE. ${JSON.stringify({ error: { code: 503, message: "Busy.", status: "UNAVAILABLE" } })}`;
    expect(toGeminiFault(new ApiError({ status: 503, message }), identity, {}).error).toMatchObject({
      kind: "overloaded",
      message: "Gemini is overloaded (HTTP 503): Busy.",
    });
  });

  it("keeps the status of an error whose body is no JSON", () => {
    const fault = toGeminiFault(new SyntaxError("Unexpected token <"), identity, {
      status: 502,
      headers: new Headers(),
    });
    expect(fault).toMatchObject({
      error: { kind: "unexpected", message: "Gemini failed (HTTP 502)." },
      retryable: true,
    });
  });

  it("takes a stream that ends inside an event for a broken connection", () => {
    const fault = toGeminiFault(new Error("Incomplete JSON segment at the end"), identity, {});
    expect(fault).toMatchObject({ error: { kind: "connection" }, retryable: true });
  });
});
