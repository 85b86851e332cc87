import { describe, expect, it } from "vitest";
import { describeProxyPage, describeTlsCode } from "./connection-words";

describe("describeTlsCode", () => {
  it.each([
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "CERT_UNTRUSTED",
  ])("names the way to trust an unknown authority for %s", (code) => {
    expect(describeTlsCode(code)).toContain(`(${code}): add the authority's certificate with NODE_EXTRA_CA_CERTS`);
  });

  it.each(["CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID", "CERT_NOT_YET_VALID"])(
    "names %s, which no authority mends",
    (code) => {
      expect(describeTlsCode(code)).toContain(code);
      expect(describeTlsCode(code)).not.toContain("NODE_EXTRA_CA_CERTS");
    },
  );

  it("leaves other codes alone", () => {
    expect(describeTlsCode("ECONNRESET")).toBeNull();
  });
});

describe("describeProxyPage", () => {
  it("names the proxy by its header or its page, the status and the limit", () => {
    const page = "<html><head><title>413</title></head><body><center>openresty</center></body></html>";
    expect(describeProxyPage({ status: 413, body: page, requestBytes: 3_400_000 })).toBe(
      "a proxy (openresty) answered 413: its limit is smaller than this request of 3.2 MiB",
    );
    expect(describeProxyPage({ status: 504, body: "<!DOCTYPE html><p>", server: "cloudflare" })).toBe(
      "a proxy (cloudflare) answered 504: the answer took longer than its time limit",
    );
    expect(describeProxyPage({ status: 418, body: "<html>" })).toBe("a proxy answered 418 with a page of its own");
  });

  it("is nothing for an API's answer", () => {
    for (const body of ['{"error":1}', "", "<error/>", "plain"]) {
      expect(describeProxyPage({ status: 504, body })).toBeNull();
    }
  });
});
