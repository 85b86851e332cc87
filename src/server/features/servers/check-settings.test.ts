import { expect, it } from "vitest";
import { checkSettings } from "./check-settings";

it("the check of a new server names the approval settings that its tools will have, and no others", () => {
  const context = {
    before: undefined,
    isTaken: () => false,
    variables: {},
    getMask: () => "",
    rootDir: process.cwd(),
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

it("the check names the working folder that does not exist, relative to Toolroom's own folder", () => {
  const context = { before: undefined, isTaken: () => false, variables: { PART: "src" }, getMask: () => "" };
  const listNotes = (cwd: string) =>
    checkSettings({ name: "files", transport: "stdio", command: "node", cwd }, { ...context, rootDir: process.cwd() })
      .notes;
  expect(listNotes("data/none")).toEqual([
    `cwd: there is no folder '${process.cwd()}/data/none'. The server cannot start until you create it or change cwd`,
  ]);
  expect(listNotes("package.json")).toHaveLength(1);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference to a variable
  for (const cwd of ["src", process.cwd(), "${PART}"]) expect(listNotes(cwd)).toEqual([]);
});
