import { describe, expect, it } from "vitest";
import type { ApprovalPolicy } from "../../../lib/contract/approval";
import { checkApproval } from "./approval-gate";

const globally = (global: ApprovalPolicy) => ({ server: null, global });

describe("whether a tool requires approval", () => {
  const destructive = { annotations: { destructiveHint: true } };

  it("AGT-05 a user's setting comes before the definition's, that before the policy", () => {
    expect(checkApproval({ approval: "always" }, "never", globally("always"))).toEqual({
      required: false,
      because: "person",
      mode: "never",
    });
    expect(checkApproval({ approval: "never" }, "always", globally("never"))).toEqual({
      required: true,
      because: "person",
      mode: "always",
    });
    expect(checkApproval({ approval: "never", ...destructive }, null, globally("always"))).toEqual({
      required: false,
      because: "definition",
      mode: null,
    });
    expect(checkApproval({ approval: "always" }, null, globally("never"))).toMatchObject({
      required: true,
      because: "definition",
    });
  });

  it("AGT-05 by the usual policy only a tool that says that it destroys asks; a missing hint says nothing", () => {
    expect(checkApproval(destructive, null, globally("destructive"))).toMatchObject({
      required: true,
      because: "hint",
    });
    for (const annotations of [{}, { readOnlyHint: false }, { destructiveHint: false }]) {
      expect(checkApproval({ annotations }, null, globally("destructive"))).toMatchObject({
        required: false,
        because: "policy",
      });
    }
    expect(checkApproval({}, null, globally("destructive")).required).toBe(false);
  });

  it("AGT-05 a server's policy comes before the global one and after the tool's own settings", () => {
    const judge = (server: ApprovalPolicy | null, global: ApprovalPolicy, definition = {}) =>
      checkApproval(definition, null, { server, global });
    expect(judge("always", "never")).toEqual({ required: true, because: "server", mode: null });
    expect(judge("never", "always", destructive)).toEqual({ required: false, because: "server", mode: null });
    expect(judge("destructive", "never", destructive)).toEqual({ required: true, because: "hint", mode: null });
    expect(judge("destructive", "always")).toEqual({ required: false, because: "server", mode: null });
    expect(judge(null, "always")).toEqual({ required: true, because: "policy", mode: null });
    expect(judge("always", "always", { approval: "never" })).toMatchObject({ required: false, because: "definition" });
    expect(checkApproval({}, "never", { server: "always", global: "always" })).toMatchObject({
      required: false,
      because: "person",
    });
  });

  it("AGT-05 the policies `always` and `never` look at no hint", () => {
    expect(checkApproval({ annotations: { readOnlyHint: true } }, null, globally("always")).required).toBe(true);
    expect(checkApproval(destructive, null, globally("never")).required).toBe(false);
  });
});
