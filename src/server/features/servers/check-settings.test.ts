import { expect, it } from "vitest";
import { checkSettings } from "./check-settings";

it("the check of a new server names the approval settings that its tools will have, and no others", () => {
  const context = {
    ...{ before: undefined, isTaken: () => false, variables: {}, maskOf: () => "" },
    keptApprovals: () =>
      ["files__a", "files__b", "files__c", "files__d", "mail__a", "filesystem__a"].map((name) => ({ name })),
  };
  const settings = { name: "files", transport: "http", url: "https://files.example.org/mcp" };
  expect(checkSettings(settings, context)).toEqual({
    problems: [],
    notes: [
      "Approval settings of earlier tools apply to tools with these names: files__a, files__b, files__c and 1 more",
    ],
  });
  expect(checkSettings({ ...settings, name: "other" }, context).notes).toEqual([]);
});
