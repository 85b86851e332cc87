import { expect, it } from "vitest";
import { findNamedTool } from "./names-tool";

it.each([
  ["Run github__get_issue for 7", "github__get_issue"],
  ["Can you get_issue 7?", "github__get_issue"],
  ["Use getIssue on 7", "getIssue"],
  ["Now create pull request reviews, please: create pull request review", "create_pull_request_review"],
  ["call echo with hello", "echo"],
  ["What does `weather` say?", "weather"],
])("a question that names a tool is found: %s", (question, tool) => {
  expect(findNamedTool(question, ["other_tool", tool])).toBe(tool);
});

it.each([
  ["Get the issue with number 7", "github__get_issue"],
  ["What is the weather in Oslo?", "weather"],
  ["Which forget_issues are there?", "get_issue"],
])("one that only uses its words is not: %s", (question, tool) => {
  expect(findNamedTool(question, [tool])).toBeNull();
});
