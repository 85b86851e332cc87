import { expect, it } from "vitest";
import type { ApprovalGroup } from "@/lib/contract/tool-list";
import { listBuiltInRules } from "./built-in-rules";

const group = (names: string, because: ApprovalGroup["because"], part: Partial<ApprovalGroup> = {}): ApprovalGroup => ({
  required: true,
  mode: null,
  server: null,
  names: names.split(" "),
  count: names.split(" ").length,
  because,
  ...part,
});

it("approval settings are rows in the order in which they decide, one for tools with the same setting", () => {
  const rules = listBuiltInRules(
    [
      group("read", "policy", { required: false }),
      group("purge", "hint"),
      group("write", "server", { server: "files" }),
      group("post", "server", { server: "mail" }),
      group("pay refund", "person", { mode: "admin" }),
      group("a b c d", "person", { mode: "always", count: 40 }),
      group("look", "person", { mode: "never", required: false }),
      group("own", "definition"),
    ],
    [],
  );
  expect(rules.map(({ name, effect, sentence, href }) => [name, effect, sentence, href])).toEqual([
    ["Tool setting", "ask", "Asks an admin when pay or refund is called", "/tools?approval=asks"],
    ["Tool setting", "ask", "Asks when a, b, c or 37 more is called", "/tools?approval=asks"],
    ["Tool setting", "allow", "Allows without approval when look is called", "/tools/look"],
    ["Tool definition", "ask", "Asks when own is called", "/tools/own"],
    ["Server policy", "ask", "Asks when any other tool of files is called", "/servers/files"],
    ["Server policy", "ask", "Asks when any other tool of mail is called", "/servers/mail"],
    ["Installation policy", "ask", "Asks when any other tool that is marked destructive is called", "/tools/purge"],
    ["Installation policy", "allow", "Allows without approval when any other tool is called", "/tools/read"],
  ]);
});

it("settings of toolsets come before those of tools, and lift none that names an approver", () => {
  const groups = [group("pay", "person", { mode: "admin" }), group("read", "policy", { required: false })];
  const approvals = [
    { tool: "pay", approval: "never" as const },
    { tool: "read", approval: "always" as const },
    { tool: "look", approval: "never" as const },
  ];
  const rules = listBuiltInRules(groups, [{ name: "support", approvals }]);
  expect(rules.slice(0, 2).map(({ name, effect, sentence, href }) => [name, effect, sentence, href])).toEqual([
    ["Toolset setting", "ask", "Asks when read is called through support", "/toolsets/support"],
    ["Toolset setting", "allow", "Allows without approval when look is called through support", "/toolsets/support"],
  ]);
});
