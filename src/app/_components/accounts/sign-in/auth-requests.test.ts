import { describe, expect, it } from "vitest";
import { readReturnPath } from "./auth-requests";

describe("readReturnPath", () => {
  it("gives paths of this server back", () => {
    for (const path of ["/", "/tools", "/executions?tool=echo&q=a%2Fb", "/runs/run_1#step"]) {
      expect(readReturnPath(path)).toBe(path);
    }
  });

  it("gives the overview instead of another site, a script or nothing", () => {
    const others = [
      "//evil.example",
      "/\\evil.example",
      "\\/evil.example",
      "https://evil.example/",
      "javascript:alert(1)",
      "tools",
      "/\t/evil.example",
      "/\n/evil.example",
      "",
      null,
    ];
    for (const to of others) expect(readReturnPath(to), String(to)).toBe("/");
  });
});
