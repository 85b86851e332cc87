import { describe, expect, it } from "vitest";
import { judgeApproval } from "./approval-policy";

describe("whether a tool asks", () => {
  const destructive = { annotations: { destructiveHint: true } };

  it("AGT-05 a person's setting comes before the definition's, that before the policy", () => {
    expect(judgeApproval({ approval: "always" }, "never", "always")).toEqual({
      required: false,
      because: "person",
      mode: "never",
    });
    expect(judgeApproval({ approval: "never" }, "always", "never")).toEqual({
      required: true,
      because: "person",
      mode: "always",
    });
    expect(judgeApproval({ approval: "never", ...destructive }, null, "always")).toEqual({
      required: false,
      because: "definition",
      mode: null,
    });
    expect(judgeApproval({ approval: "always" }, null, "never")).toMatchObject({
      required: true,
      because: "definition",
    });
  });

  it("AGT-05 by the usual policy only a tool that says that it destroys asks; a missing hint says nothing", () => {
    expect(judgeApproval(destructive, null, "destructive")).toMatchObject({ required: true, because: "hint" });
    for (const annotations of [{}, { readOnlyHint: false }, { destructiveHint: false }]) {
      expect(judgeApproval({ annotations }, null, "destructive")).toMatchObject({ required: false, because: "policy" });
    }
    expect(judgeApproval({}, null, "destructive").required).toBe(false);
  });

  it("AGT-05 the policies `always` and `never` look at no hint", () => {
    expect(judgeApproval({ annotations: { readOnlyHint: true } }, null, "always").required).toBe(true);
    expect(judgeApproval(destructive, null, "never").required).toBe(false);
  });
});
