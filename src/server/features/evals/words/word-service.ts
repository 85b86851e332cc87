import type { Eval, EvalEdit } from "../../../../lib/contract/eval";
import { TOOL_USE_SUITE } from "../../../../lib/contract/eval-limits";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";
import type { CreateToolRanker, ToolWords } from "../../../../lib/contract/word-test";
import {
  MAX_WORD_QUESTIONS,
  type WordComparison,
  type WordOrigin,
  type WordQuestion,
  type WordReport,
} from "../../../../lib/contract/word-test";
import { AppError } from "../../../platform/shared/app-error";
import type { EvalStore } from "../eval-store";
import type { Decision } from "../find-candidates";
import { type EditedTool, isOfferedToModels, type OfferPorts, offerTools } from "../offer-tools";
import type { ReadableCalls, RecordedQuestionStore } from "../recorded-questions";
import { compareWords, MAX_RANKED_TOOLS, testWords } from "./word-test";

export interface WordPorts {
  evals: Pick<EvalStore, "list">;
  recorded: RecordedQuestionStore;
  offer: OfferPorts;
  createRanker: CreateToolRanker;
  readEdit: (edit: EvalEdit) => EditedTool;
  /** The newest decisions of models. */
  decisions: (readable?: ReadableCalls) => Promise<Decision[]>;
}

export interface WordTestRequest {
  /** Null: all enabled tools. */
  toolset: string | null;
  /** The evals of this suite; absent: of all. */
  suite?: string | undefined;
  /** Kinds of questions that are asked. */
  origins: readonly WordOrigin[];
  /** Asked besides. */
  questions?: readonly Omit<WordQuestion, "origin">[] | undefined;
}

const MAX_REASONS = 300;
/** Tools whose own descriptions are asked for when one tool is edited: those that are most like it. */
const NEIGHBORS = 10;
const MAX_SENTENCE_CHARS = 240;

/** Tests by words alone whether questions lead to the right tool. */
export function createWordService(ports: WordPorts) {
  async function readEvals(suite?: string): Promise<WordQuestion[]> {
    const evals = await ports.evals.list(suite);
    return evals.flatMap((each) => (each.expected.length === 0 ? [] : toQuestion(each)));
  }

  async function readReasons(readable?: ReadableCalls): Promise<WordQuestion[]> {
    const rows = await ports.recorded.reasons(MAX_REASONS);
    const hidden = await readable?.hidden(rows.map(({ executionId }) => executionId));
    return rows.flatMap(({ executionId, toolName, reason }) =>
      hidden?.has(executionId) || reason.trim() === "" ? [] : recorded(reason, [toolName], "reason"),
    );
  }

  async function readPrompts(readable?: ReadableCalls): Promise<WordQuestion[]> {
    const decisions = await ports.decisions(readable);
    return decisions.flatMap(({ question, called, contextMessages, hasFailed }) =>
      contextMessages > 0 || hasFailed ? [] : recorded(question, called, "prompt"),
    );
  }

  /** Questions that users wrote come first; beyond the limit the last ones are left out. */
  async function readQuestions(request: WordTestRequest, readable?: ReadableCalls): Promise<WordQuestion[]> {
    const { suite, origins } = request;
    const wants = (origin: WordOrigin): boolean => origins.includes(origin);
    return [
      ...(request.questions ?? []).map((each) => ({ ...each, origin: "file" as const })),
      ...(wants("eval") ? await readEvals(suite) : []),
      ...(wants("reason") ? await readReasons(readable) : []),
      ...(wants("prompt") ? await readPrompts(readable) : []),
    ];
  }

  return {
    /** @throws AppError for an unknown toolset or suite */
    async testWords(request: WordTestRequest, readable?: ReadableCalls): Promise<WordReport> {
      if (request.suite === TOOL_USE_SUITE) {
        throw new AppError("INVALID", `suite: '${TOOL_USE_SUITE}' has tools of its own and no questions for yours`);
      }
      const { tools, names } = listTools(ports.offer, request.toolset);
      const rename = (name: string): string => names.get(name) ?? name;
      const asked = (await readQuestions(request, readable)).map(({ expected, forbidden, ...rest }) => ({
        ...rest,
        expected: expected.map(rename),
        forbidden: forbidden.map(rename),
      }));
      const own = request.origins.includes("description") ? tools.flatMap(describeTool) : [];
      const questions = withoutRepeats([...asked, ...own]);
      const report = await testWords(tools, questions.slice(0, MAX_WORD_QUESTIONS), ports.createRanker);
      return { ...report, isCut: report.isCut || questions.length > MAX_WORD_QUESTIONS };
    },

    /** Compares the word test before and after an unsaved edit. @throws AppError for an invalid definition */
    async compareEdit(edit: EvalEdit, readable?: ReadableCalls): Promise<WordComparison> {
      const { name, definition } = ports.readEdit(edit);
      const tools = listTools(ports.offer, null).tools.slice(0, MAX_RANKED_TOOLS);
      const ranker = ports.createRanker(tools);
      const request = { toolset: null, origins: ["eval", "reason", "prompt"] as const };
      const near = new Set(
        ranker
          .rank(firstSentence(definition.description))
          .slice(0, NEIGHBORS)
          .map((each) => each.name),
      );
      const others = tools.filter((tool) => near.has(tool.name) && tool.name !== name);
      const questions = withoutRepeats([...(await readQuestions(request, readable)), ...others.flatMap(describeTool)]);
      const edited = { name, tool: definition };
      return await compareWords(tools, questions.slice(0, MAX_WORD_QUESTIONS), edited, () => ranker);
    },
  };
}

/** The tools as a model sees them, and their shown names by those of the catalog. */
function listTools(offer: OfferPorts, toolset: string | null): { tools: ToolWords[]; names: Map<string, string> } {
  const offered = offerTools(offer, toolset).tools.filter(isOfferedToModels);
  // Of the whole catalog people know the tools by their own names, not by those that some providers need.
  const tools: ToolDefinition[] = offered.map(({ shown, original }) => (toolset === null ? original : shown));
  return {
    tools,
    names: new Map(offered.map(({ original }, at) => [original.name, tools[at]?.name ?? original.name])),
  };
}

const toQuestion = ({ question, expected, forbidden }: Eval): WordQuestion => ({
  question,
  expected,
  forbidden,
  origin: "eval",
});

const recorded = (question: string, expected: string[], origin: WordOrigin): WordQuestion => ({
  question,
  expected,
  forbidden: [],
  origin,
});

function describeTool({ name, description }: ToolWords): WordQuestion[] {
  const sentence = firstSentence(description);
  return sentence === "" ? [] : [recorded(sentence, [name], "description")];
}

function firstSentence(text: string): string {
  return (/^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text).trim().slice(0, MAX_SENTENCE_CHARS);
}

function withoutRepeats(questions: readonly WordQuestion[]): WordQuestion[] {
  const known = new Map<string, WordQuestion>();
  for (const each of questions) {
    const key = JSON.stringify([each.question.trim().toLowerCase(), each.expected[0]]);
    if (!known.has(key)) known.set(key, each);
  }
  return [...known.values()];
}
