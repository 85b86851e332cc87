import { expect, it } from "vitest";
import type { ToolApproval } from "@/lib/contract/approval";
import { listBuiltInRules } from "./built-in-rules";

const tool = (name: string, because: ToolApproval["because"], part: Partial<ToolApproval> = {}, server = "files") => ({
  name,
  server,
  enabled: true,
  approval: { required: true, mode: null, ...part, because },
});

it("approval settings are rows in the order in which they decide, one for tools with the same setting", () => {
  const rules = listBuiltInRules(
    [
      tool("read", "policy", { required: false }),
      tool("purge", "hint"),
      tool("write", "server"),
      tool("post", "server", {}, "mail"),
      tool("pay", "person", { mode: "admin" }),
      tool("refund", "person", { mode: "admin" }),
      tool("look", "person", { mode: "never", required: false }),
      tool("own", "definition"),
      { ...tool("gone", "person", { mode: "admin" }), enabled: false },
    ],
    [],
  );
  expect(rules.map(({ name, effect, sentence, href }) => [name, effect, sentence, href])).toEqual([
    ["Tool setting", "ask", "Asks an admin when pay or refund is called", "/tools?approval=asks"],
    ["Tool setting", "allow", "Allows without approval when look is called", "/tools/look"],
    ["Tool definition", "ask", "Asks when own is called", "/tools/own"],
    ["Server policy", "ask", "Asks when any other tool of files is called", "/servers/files"],
    ["Server policy", "ask", "Asks when any other tool of mail is called", "/servers/mail"],
    ["Installation policy", "ask", "Asks when any other tool that is marked destructive is called", "/tools/purge"],
    ["Installation policy", "allow", "Allows without approval when any other tool is called", "/tools/read"],
  ]);
});

it("settings of toolsets come before those of tools, and lift none that names an approver", () => {
  const tools = [tool("pay", "person", { mode: "admin" }), tool("read", "policy", { required: false })];
  const approvals = [
    { tool: "pay", approval: "never" as const },
    { tool: "read", approval: "always" as const },
    { tool: "look", approval: "never" as const },
  ];
  const rules = listBuiltInRules(tools, [{ name: "support", approvals }]);
  expect(rules.slice(0, 2).map(({ name, effect, sentence, href }) => [name, effect, sentence, href])).toEqual([
    ["Toolset setting", "ask", "Asks when read is called through support", "/toolsets/support"],
    ["Toolset setting", "allow", "Allows without approval when look is called through support", "/toolsets/support"],
  ]);
});
