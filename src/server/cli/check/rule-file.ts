import { callRuleInputSchema } from "../../../lib/contract/call-rule";
import { MAX_CATALOG_FILE_BYTES } from "../../../lib/contract/catalog-file";
import { isPlainObject, readMember } from "../../../lib/contract/json";
import { describeProblem, problemsOfIssues } from "../../../lib/contract/problem";
import {
  type RuleCaseInput,
  type RuleTest,
  ruleCaseInputSchema,
  type TestedCase,
} from "../../../lib/contract/rule-case";
import { TOOL_SEPARATOR } from "../../../lib/contract/tool-definition";
import { getMessage } from "../../../lib/get-message";
import type { StoredCallRule } from "../../engine/rules/decide-call";
import { NOT_RECORDED } from "../../engine/rules/rule-ports";
import { type CaseTool, createCaseTester } from "../../engine/rules/test-case";
import { leaveOutHidden } from "../../features/rules/case-arguments";
import { readSections } from "../../features/sharing/read-file";
import { createConditionLanguage } from "../../platform/conditions/condition-language";
import { parseJsonText } from "../../platform/shared/parse-json-text";
import { usageError } from "../command-error";

const MAX_SHOWN = 20;

/** Tests the rules of a catalog file by its cases, without a server. @throws CommandError that names what is wrong with the file */
export function testRuleFile(text: string, file: string): RuleTest {
  const { rules, ruleCases, tools, servers, problems } = readCatalog(text, file);
  const language = createConditionLanguage();
  const faults = [...problems];
  const ruleNames = new Set<string>();
  const parsedRules = rules.flatMap((candidate, index): StoredCallRule[] => {
    const where = `rules[${index}]`;
    const parsed = callRuleInputSchema.safeParse(candidate);
    if (!parsed.success) return fail(faults, where, problemsOfIssues(parsed.error.issues));
    const { condition } = parsed.data;
    const compiled = condition === "" ? null : language.compile(condition);
    if (compiled !== null && "problems" in compiled) {
      return fail(
        faults,
        where,
        compiled.problems.map(({ message }) => ({ path: "condition", message })),
      );
    }
    if (isTaken(parsed.data.name, ruleNames)) return fail(faults, where, [REPEATED]);
    return [{ ...parsed.data, id: where, version: 1 }];
  });
  const caseNames = new Set<string>();
  const cases = ruleCases.flatMap((candidate, index): RuleCaseInput[] => {
    const where = `ruleCases[${index}]`;
    const parsed = ruleCaseInputSchema.safeParse(candidate);
    if (!parsed.success) return fail(faults, where, problemsOfIssues(parsed.error.issues));
    const { left } = leaveOutHidden(parsed.data.call.arguments);
    if (left.length > 0)
      return fail(
        faults,
        where,
        left.map((path) => ({ path, message: "is masked: remove it" })),
      );
    if (isTaken(parsed.data.name, caseNames)) return fail(faults, where, [REPEATED]);
    return [parsed.data];
  });
  if (faults.length > 0) {
    const more = faults.length > MAX_SHOWN ? [`and ${faults.length - MAX_SHOWN} more`] : [];
    throw usageError(`${file} cannot be tested: ${[...faults.slice(0, MAX_SHOWN), ...more].join("; ")}.`);
  }
  const findTool = createToolFinder(tools, servers);
  const testCase = createCaseTester(parsedRules, { language, findTool });
  const tested = cases.map((each): TestedCase => {
    const result = testCase(each);
    const isUnknown = findTool(each.call.tool).tags === NOT_RECORDED && each.call.tags === undefined;
    const notes =
      isUnknown && result.outcome === "unknown" ? [explainTool(each.call.tool), ...result.notes] : result.notes;
    return { ...each, result: { ...result, notes } };
  });
  const passed = tested.filter(({ result }) => result.status === "passed").length;
  return { passed, failed: tested.length - passed, cases: tested, changed: [] };
}

const REPEATED = { path: "name", message: "appears more than once in the file" };

const explainTool = (tool: string): string =>
  `The tool '${tool}' is not in the file, which has the tools of the console alone: give 'call.server' and 'call.tags' where rules depend on them`;

function fail(faults: string[], where: string, problems: readonly { path: string; message: string }[]): [] {
  faults.push(
    ...problems.map(({ path, message }) =>
      describeProblem({ path: path === "" ? where : `${where}.${path}`, message }),
    ),
  );
  return [];
}

/** Names that differ only in case count as equal. */
function isTaken(name: string, names: Set<string>): boolean {
  const key = name.toLowerCase();
  if (names.has(key)) return true;
  names.add(key);
  return false;
}

function readCatalog(text: string, file: string): ReturnType<typeof readSections> {
  if (Buffer.byteLength(text) > MAX_CATALOG_FILE_BYTES) throw usageError(`${file} is larger than 10 MB.`);
  const value = parse(text.replace(/^\uFEFF/, ""), file);
  if (isPlainObject(value) && Object.hasOwn(value, "toolroom")) return readSections(value);
  throw usageError(`${file} is no catalog file.`, "toolroom export catalog makes one.");
}

function parse(text: string, file: string): unknown {
  try {
    return parseJsonText(text, `file ${file}`);
  } catch (error) {
    throw usageError(`${getMessage(error)}.`);
  }
}

/** What the file says of a tool. Those of servers come with their server, so that nothing but that is known of them. */
function createToolFinder(tools: readonly unknown[], servers: readonly unknown[]): (name: string) => CaseTool {
  const tagsByName = new Map(
    tools.map((tool) => {
      const definition = readMember(tool, "definition");
      const tags = readMember(definition, "tags");
      const names = Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
      return [readMember(definition, "name"), names] as const;
    }),
  );
  const serverNames = servers.map((server) => String(readMember(server, "name")));
  return (name) => {
    const tags = tagsByName.get(name);
    if (tags !== undefined) return { serverName: null, tags };
    const server = serverNames.find((each) => name.startsWith(each + TOOL_SEPARATOR));
    return { serverName: server ?? (name.includes(TOOL_SEPARATOR) ? NOT_RECORDED : null), tags: NOT_RECORDED };
  };
}
