import { readFileSync } from "node:fs";
import path from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { isPlainObject } from "../src/lib/contract/json";
import type { ToolWords, WordQuestion } from "../src/lib/contract/word-test";
import { compareWords, testWords } from "../src/server/features/evals/words/word-test";
import { createToolRanker } from "../src/server/platform/workers/tool-finder";

const TOOLS = 500;
const QUESTIONS = 200;
const ROUNDS = 5;
const DOCUMENT = path.resolve(import.meta.dirname, "../src/server/openapi/fixtures/github.json.br");

/** The operations of a large public API as tools, with their own words. */
function readTools(): ToolWords[] {
  const document = JSON.parse(brotliDecompressSync(readFileSync(DOCUMENT)).toString("utf8")) as {
    paths: Record<
      string,
      Record<string, { operationId?: string; summary?: string; description?: string; parameters?: unknown[] }>
    >;
  };
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  return operations.flatMap(({ operationId, summary = "", description = "", parameters = [] }) => {
    if (operationId === undefined) return [];
    const named = parameters.filter(isPlainObject).filter(({ name }) => typeof name === "string");
    const properties = Object.fromEntries(
      named.map((each) => [String(each.name), { description: String(each.description ?? "") }]),
    );
    return [
      { name: operationId.replaceAll("/", "_"), description: `${summary}. ${description}`, parameters: { properties } },
    ];
  });
}

async function measure(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return times.sort((one, other) => one - other);
}

const all = readTools();
const tools = all.slice(0, TOOLS);
const step = Math.floor(TOOLS / QUESTIONS);
const questions = Array.from({ length: QUESTIONS }, (_, at): WordQuestion => {
  const tool = tools[at * step] as ToolWords;
  const question = tool.description
    .split(/(?<=\.)\s/)
    .slice(0, 2)
    .join(" ")
    .slice(0, 160);
  return { question, expected: [tool.name], forbidden: [], origin: "file" };
});
const report = await testWords(tools, questions, createToolRanker);
const edit = {
  name: tools[0]?.name ?? null,
  tool: { ...(tools[0] as ToolWords), description: tools[step]?.description ?? "" },
};
const format = (times: readonly number[]): string => times.map((ms) => ms.toFixed(0)).join(" ");
console.log(`${all.length} operations; ${tools.length} tools, ${questions.length} questions, ${report.found} found`);
console.log(
  `test, ms of processor time: ${format(await measure(() => testWords(tools, questions, createToolRanker)))}`,
);
console.log(
  `edit, ms of processor time: ${format(await measure(() => compareWords(tools, questions, edit, createToolRanker)))}`,
);
