import { describe, expect, it } from "vitest";
import { decideAccountMode } from "./account-services";
import { readEnv } from "./env";

describe("whether people need accounts", () => {
  it.each(["127.0.0.1", "localhost", "::1", "[::1]"])("not on %s, unless somebody wants them", (host) => {
    expect(decideAccountMode({ auth: null, host }, null)).toEqual({ accounts: false, decidedBy: "address" });
    expect(decideAccountMode({ auth: "on", host }, null)).toEqual({ accounts: true, decidedBy: "environment" });
    expect(decideAccountMode({ auth: null, host }, "on")).toEqual({ accounts: true, decidedBy: "setting" });
    expect(decideAccountMode({ auth: "off", host }, "on")).toEqual({ accounts: false, decidedBy: "environment" });
  });

  it.each(["0.0.0.0", "::", "192.168.1.20", "tools.example.org"])("always on %s, and the start says why", (host) => {
    expect(decideAccountMode({ auth: null, host }, null)).toEqual({ accounts: true, decidedBy: "address" });
    expect(() => decideAccountMode({ auth: "off", host }, null)).toThrow(
      `TOOLROOM_AUTH=off together with HOST=${host}`,
    );
  });

  it("is read from the environment, which refuses other words and short tokens", () => {
    expect(readEnv({}).auth).toBeNull();
    expect(readEnv({ TOOLROOM_AUTH: "on" }).auth).toBe("on");
    expect(() => readEnv({ TOOLROOM_AUTH: "yes" })).toThrow("TOOLROOM_AUTH");
    expect(() => readEnv({ TOOLROOM_API_TOKEN: "short" })).toThrow("at least 32 characters");
    const secrets = { TOOLROOM_API_TOKEN: "t".repeat(40), TOOLROOM_SECRET_KEY: "k".repeat(40), OTHER: "1" };
    expect(readEnv(secrets).variables).toEqual({ OTHER: "1" });
    expect(() => readEnv({ TOOLROOM_PUBLIC_URL: "tools.example.org" })).toThrow("TOOLROOM_PUBLIC_URL");
  });
});
