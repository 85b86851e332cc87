import { describe, expect, it } from "vitest";
import { contentSecurityPolicy, createNonce, SECURITY_HEADERS } from "./security-headers";

describe("the content security policy", () => {
  it("lets only scripts with the response's nonce run, and nothing from another host", () => {
    expect(contentSecurityPolicy("N", false)).toBe(
      "default-src 'self'; script-src 'self' 'nonce-N' 'strict-dynamic'; style-src 'self' 'nonce-N'; img-src 'self' data: blob:; media-src data: blob:; connect-src 'self'; frame-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
    );
  });

  it("allows eval and inline styles in development only", () => {
    expect(contentSecurityPolicy("N", false)).not.toContain("unsafe");
    expect(contentSecurityPolicy("N", true)).toContain("'unsafe-eval'");
  });

  it("has a nonce of 128 bits that is not used twice", () => {
    const nonces = Array.from({ length: 100 }, createNonce);
    expect(new Set(nonces).size).toBe(100);
    for (const nonce of nonces) expect(atob(nonce)).toHaveLength(16);
  });
});

describe("the other headers", () => {
  it("forbid sniffing, framing and referrers", () => {
    const headers = new Headers(SECURITY_HEADERS.map(([name, value]): [string, string] => [name, value]));
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
  });
});
