import { ApiError } from "@google/genai";
import { describe, expect, it } from "vitest";
import { parseErrorText, VendorError } from "../vendor-error";
import { toFault } from "../vendor-fault";
import { normalizeGeminiError } from "./normalize-gemini-error";

const identity = { vendor: "Gemini", apiKey: "key-for-tests" };

describe("errors of Gemini", () => {
  it("waits as long as the body asks", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "13.5s" }];
    const body = JSON.stringify({ error: { code: 429, message: "Quota.", status: "RESOURCE_EXHAUSTED", details } });
    const error = new VendorError({ ...parseErrorText(body, ""), headers: new Headers({ "retry-after": "2" }) });
    expect(toFault(normalizeGeminiError(error), identity)).toMatchObject({
      error: { kind: "rate_limit", message: "Gemini is rate limiting requests (HTTP 429): Quota." },
      retryable: true,
      retryAfterMs: 13_500,
    });
  });

  it("reads an error that a stream reported, behind the client's own words", () => {
    const message = `got status: UNAVAILABLE. ${JSON.stringify({ error: { code: 503, message: "Busy.", status: "UNAVAILABLE" } })}`;
    expect(toFault(normalizeGeminiError(new ApiError({ status: 503, message })), identity).error).toMatchObject({
      kind: "overloaded",
      message: "Gemini is overloaded (HTTP 503): Busy.",
    });
  });

  it("keeps the status of an error whose body is no JSON", () => {
    const error = new VendorError({ ...parseErrorText("<html>", "Bad Gateway"), status: 502 });
    expect(toFault(normalizeGeminiError(error), identity)).toMatchObject({
      error: { kind: "unexpected", message: "Gemini failed (HTTP 502): <html>" },
      retryable: true,
    });
  });

  it("takes a stream that ends inside an event for a broken connection", () => {
    const fault = toFault(normalizeGeminiError(new Error("Incomplete JSON segment at the end")), identity);
    expect(fault).toMatchObject({ error: { kind: "connection" }, retryable: true });
  });
});
