import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolWords, WordQuestion } from "../../../../lib/contract/word-test";
import { createToolRanker } from "../../../platform/workers/tool-finder";
import { compareWords, testWords } from "./word-test";

const read = (name: string): unknown =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, "fixtures", name), "utf8"));
const TOOLS = (
  read("listed-tools.json") as (Omit<ToolWords, "parameters"> & { inputSchema: ToolWords["parameters"] })[]
).map(({ inputSchema, ...tool }): ToolWords => ({ ...tool, parameters: inputSchema }));
const QUESTIONS = (read("questions.json") as { question: string; expected: string[] }[]).map(
  (each): WordQuestion => ({ ...each, forbidden: [], origin: "file" }),
);
const find = (name: string): ToolWords => {
  const tool = TOOLS.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no ${name}`);
  return tool;
};

/** Edits of one tool that take, or nearly take, the questions of another one. */
const PLANTED: { edited: string; words: Partial<ToolWords>; confusedWith: string }[] = [
  // A second tool for the same thing: of another server, or a newer version.
  {
    edited: "gitlab__create_issue",
    words: { description: "Create a new issue in a project" },
    confusedWith: "github__create_issue",
  },
  {
    edited: "tracker__comment_on_issue",
    words: { description: "Add a comment to an issue" },
    confusedWith: "github__add_issue_comment",
  },
  {
    edited: "github__code_search",
    words: { description: "Find code in repositories" },
    confusedWith: "github__search_code",
  },
  {
    edited: "math__sum_numbers",
    words: { description: "Add numbers and return the sum" },
    confusedWith: "everything__get-sum",
  },
  // A description that promises what another tool does.
  {
    edited: "github__get_pull_request",
    words: { description: "Get details of a pull request: its files, changes, comments, reviews and status" },
    confusedWith: "github__get_pull_request_files",
  },
  {
    edited: "github__search_repositories",
    words: { description: "Search GitHub: repositories, users by location, code, issues" },
    confusedWith: "github__search_users",
  },
  {
    edited: "github__update_issue",
    words: { description: "Update an issue, add a comment to it, or create a new issue" },
    confusedWith: "github__create_issue",
  },
  {
    edited: "everything__toggle-subscriber-updates",
    words: { description: "Switches simulated logging and simulated updates on or off" },
    confusedWith: "everything__toggle-simulated-logging",
  },
  // A name that is another one's but for an ending.
  {
    edited: "github__create_branches",
    words: { description: "Start branches in a repository" },
    confusedWith: "github__create_branch",
  },
  {
    edited: "github__list_issue",
    words: { description: "Details of one issue of a repository" },
    confusedWith: "github__get_issue",
  },
];

/** The same with tools that no rule of the test was chosen by. */
const FURTHER: typeof PLANTED = [
  {
    edited: "forge__merge_change",
    words: { description: "Merge a pull request into its base" },
    confusedWith: "github__merge_pull_request",
  },
  { edited: "forge__fork", words: { description: "Fork a project" }, confusedWith: "github__fork_repository" },
  {
    edited: "system__environment",
    words: { description: "Returns the environment variables of the server" },
    confusedWith: "everything__get-env",
  },
  {
    edited: "archive__gzip",
    words: { description: "Compress a file with gzip" },
    confusedWith: "everything__gzip-file-as-resource",
  },
  {
    edited: "github__get_pull_request_checks",
    words: { description: "Status of all checks of a pull request, combined" },
    confusedWith: "github__get_pull_request_status",
  },
  {
    edited: "everything__echo",
    words: { description: "Echoes the input, or lists the roots of the client" },
    confusedWith: "everything__get-roots-list",
  },
  {
    edited: "github__list_commits",
    words: { description: "List commits, open issues or labels, and bugs of a repository" },
    confusedWith: "github__list_issues",
  },
  {
    edited: "everything__get-resource-links",
    words: { description: "Returns tiny images: links to each logo" },
    confusedWith: "everything__get-tiny-image",
  },
  {
    edited: "github__search_issue",
    words: { description: "Search issues and pull requests that mention a text" },
    confusedWith: "github__search_issues",
  },
  {
    edited: "jobs__run_operation",
    words: { description: "Run an operation and show its progress" },
    confusedWith: "everything__trigger-long-running-operation",
  },
];

const plant = ({ edited, words }: (typeof PLANTED)[number]): { name: string | null; tool: ToolWords } => {
  const known = TOOLS.find(({ name }) => name === edited);
  return { name: known?.name ?? null, tool: { name: edited, description: "", parameters: {}, ...known, ...words } };
};

describe("a word test of real tools", () => {
  it("finds three of four questions as the tools are, and says which words mislead the others", async () => {
    const report = await testWords(TOOLS, QUESTIONS, createToolRanker);
    expect(report).toMatchObject({ tools: 42, asked: 36, found: 27, isCut: false });
    expect(report.confusions[0]).toMatchObject({ wrong: 1, questions: 1 });
    const misled = report.results.find(({ question }) => question.startsWith("Which commits"));
    expect(misled).toMatchObject({ verdict: "wrong", rival: "github__push_files", words: ["commit", "main"] });
    expect(misled?.ranked[1]?.name).toBe("github__list_commits");
  });

  it.each([
    ["ten", PLANTED],
    ["ten further ones", FURTHER],
  ])("names at least nine of ten planted confusions with the pair: %s", async (_, planted) => {
    const named: string[] = [];
    for (const each of planted) {
      const { confusions } = await compareWords(TOOLS, QUESTIONS, plant(each), createToolRanker);
      const isNamed = confusions.some(({ expected, rival }) => expected === each.confusedWith && rival === each.edited);
      if (isNamed) named.push(each.edited);
      // A gate that names everything names nothing.
      expect(confusions.length).toBeLessThanOrEqual(4);
    }
    expect(named.length).toBeGreaterThanOrEqual(9);
  });
});

describe("an edit", () => {
  it("that mends a description says which questions it wins, and names no pair", async () => {
    const tool = {
      ...find("github__get_file_contents"),
      description: "Read what a file or directory of a repository contains",
    };
    const comparison = await compareWords(TOOLS, QUESTIONS, { name: tool.name, tool }, createToolRanker);
    expect(comparison.before.found).toBe(27);
    expect(comparison.after.found).toBe(28);
    expect(comparison.changes.map(({ question, after }) => [question, after.verdict])).toContainEqual([
      "What does the file src/index.ts contain?",
      "right",
    ]);
  });

  it("that changes no word changes no question; a renamed tool keeps its questions", async () => {
    const tool = find("everything__get-sum");
    const same = await compareWords(TOOLS, QUESTIONS, { name: tool.name, tool }, createToolRanker);
    expect(same).toMatchObject({ changes: [], confusions: [] });
    const renamed = { ...tool, name: "everything__sum" };
    const after = await compareWords(TOOLS, QUESTIONS, { name: tool.name, tool: renamed }, createToolRanker);
    expect(after).toMatchObject({ before: { found: 27 }, after: { asked: 36, found: 27 }, confusions: [] });
  });
});

it("a comparison is what two whole tests of the tools before and after the edit say", async () => {
  const words = fc.array(fc.constantFrom("list", "file", "issues", "branch", "creating", "user", "the"), {
    maxLength: 6,
  });
  const text = words.map((each) => each.join(" "));
  const toTool = (name: string, [description, title]: [string, string]): ToolWords => ({
    name,
    title,
    description,
    parameters: { properties: { [`${title}_id`]: { description } } },
  });
  const drawn = fc.record({
    texts: fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 8 }),
    questions: fc.array(fc.tuple(text, fc.nat(7)), { maxLength: 8 }),
    edit: fc.tuple(fc.nat(8), fc.constantFrom("same", "create_file", "other"), fc.tuple(text, text)),
  });
  await fc.assert(
    fc.asyncProperty(drawn, async ({ texts, questions, edit: [at, newName, newTexts] }) => {
      const tools = texts.map((each, index) => toTool(`tool_${index}`, each));
      const edited = at < tools.length ? `tool_${at}` : null;
      const tool = toTool(edited !== null && newName === "same" ? edited : newName, newTexts);
      const after = edited === null ? [...tools, tool] : tools.with(at, tool);
      const ask = (rename: (name: string) => string) =>
        questions.map(
          ([question, index]): WordQuestion => ({
            question,
            expected: [rename(`tool_${index}`)],
            forbidden: [],
            origin: "file",
          }),
        );
      const before = ask((name) => name);
      const renamed = ask((name) => (name === edited ? tool.name : name));
      const comparison = await compareWords(tools, before, { name: edited, tool }, createToolRanker);
      const one = await testWords(tools, before, createToolRanker);
      const other = await testWords(after, renamed, createToolRanker);
      const count = ({ asked, found }: typeof one) => ({ asked, found });
      expect(comparison).toMatchObject({ before: count(one), after: count(other) });
      const differing = other.results.flatMap((result, index) => {
        const earlier = one.results[index];
        const rival = earlier?.rival === edited && edited !== null ? tool.name : earlier?.rival;
        return earlier?.verdict === result.verdict && rival === result.rival
          ? []
          : [{ before: earlier, after: result }];
      });
      expect(comparison.changes.map((change) => ({ before: change.before, after: change.after }))).toEqual(differing);
    }),
  );
});

it("a question whose tools are not offered does not count, and one without a word of its tool is missed", async () => {
  const questions: WordQuestion[] = [
    { question: "Water the plants", expected: ["garden__water"], forbidden: [], origin: "eval" },
    { question: "Qwertz", expected: ["everything__echo"], forbidden: [], origin: "eval" },
  ];
  const report = await testWords(TOOLS, questions, createToolRanker);
  expect(report.results.map(({ verdict }) => verdict)).toEqual(["absent", "missed"]);
  expect(report).toMatchObject({ asked: 1, found: 0 });
});
