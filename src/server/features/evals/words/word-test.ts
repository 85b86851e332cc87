import type {
  Confusion,
  CreateToolRanker,
  RankedTool,
  ToolRanker,
  ToolWords,
  WordComparison,
  WordQuestion,
  WordReport,
  WordResult,
} from "../../../../lib/contract/word-test";
import { TimeSlice } from "../../../engine/time-slice";

/** A rival with this share of the expected tool's score is close: a word more or less decides. */
const CLOSE = 0.9;
const COVERING = 0.25;
const RANKED = 5;
/** Questions beyond these, and tools, are left out. */
export const MAX_RANKED_TOOLS = 2000;

/** A tool whose definition is not saved yet. @param name the tool that it replaces; null for a new one */
export interface EditedWords {
  name: string | null;
  tool: ToolWords;
}

/** Ranks the tools for each question by their words alone. */
export async function testWords(
  tools: readonly ToolWords[],
  questions: readonly WordQuestion[],
  createRanker: CreateToolRanker,
): Promise<WordReport> {
  const ranked = tools.slice(0, MAX_RANKED_TOOLS);
  const results = await judgeAll(createRanker(ranked), new Set(ranked.map(({ name }) => name)), questions);
  return {
    tools: ranked.length,
    ...countFound(results),
    confusions: listConfusions(results),
    results,
    isCut: ranked.length < tools.length,
  };
}

/** Tests the words before and after an edit of one tool. A question for the tool follows a new name. */
export async function compareWords(
  tools: readonly ToolWords[],
  questions: readonly WordQuestion[],
  edit: EditedWords,
  createRanker: CreateToolRanker,
): Promise<WordComparison> {
  const ranked = tools.slice(0, MAX_RANKED_TOOLS);
  const names = new Set(ranked.map(({ name }) => name));
  const ranker = createRanker(ranked);
  const before = await judgeAll(ranker, names, questions);
  const rename = (name: string): string => (name === edit.name ? edit.tool.name : name);
  const renamed = questions.map(({ expected, forbidden, ...rest }) => ({
    ...rest,
    expected: expected.map(rename),
    forbidden: forbidden.map(rename),
  }));
  ranker.replace(edit.name ?? edit.tool.name, edit.tool);
  const after = await judgeAll(ranker, new Set([...names, edit.tool.name]), renamed);
  const changes = after.flatMap((result, at) => {
    const earlier = before[at];
    if (earlier === undefined || isSame(earlier, result, rename)) return [];
    const { question, origin, expected } = result;
    return [{ question, origin, expected, before: earlier, after: result }];
  });
  const known = new Map(listConfusions(before).map((pair) => [toPair(pair, rename), pair]));
  const confusions = listConfusions(after).filter((pair) => {
    const earlier = known.get(toPair(pair));
    return earlier === undefined || pair.questions > earlier.questions || pair.wrong > earlier.wrong;
  });
  return { before: countFound(before), after: countFound(after), changes, confusions };
}

/** Names a pair in the order expected, rival. */
const toPair = ({ expected, rival }: Confusion, rename = (name: string): string => name): string =>
  JSON.stringify([rename(expected), rename(rival)]);

function isSame(before: WordResult, after: WordResult, rename: (name: string) => string): boolean {
  const rival = before.rival === null ? null : rename(before.rival);
  return before.verdict === after.verdict && rival === after.rival;
}

async function judgeAll(
  ranker: ToolRanker,
  names: ReadonlySet<string>,
  questions: readonly WordQuestion[],
): Promise<WordResult[]> {
  const results: WordResult[] = [];
  const slice = new TimeSlice();
  for (const question of questions) {
    results.push(judgeQuestion(question, ranker.rank(question.question), names));
    await slice.pause();
  }
  return results;
}

function judgeQuestion(
  { question, origin, expected }: WordQuestion,
  ranked: readonly RankedTool[],
  names: ReadonlySet<string>,
): WordResult {
  const offered = expected.filter((name) => names.has(name));
  const shown = ranked.slice(0, RANKED).map(({ name, score }) => ({ name, score: Math.round(score * 100) / 100 }));
  const base = { question, origin, expected, ranked: shown };
  if (offered.length === 0) return { ...base, verdict: "absent", rival: null, words: [] };
  const own = ranked.find(({ name }) => offered.includes(name));
  const other = ranked.find(({ name }) => !offered.includes(name));
  const rival = (verdict: WordResult["verdict"], by: RankedTool | undefined): WordResult => ({
    ...base,
    verdict,
    rival: by?.name ?? null,
    words: by?.words ?? [],
  });
  if (own === undefined) return rival("missed", other);
  if (other === undefined) return { ...base, verdict: "right", rival: null, words: [] };
  if (other.score > own.score) return rival("wrong", other);
  const close = ranked.find((each) => !offered.includes(each.name) && isClose(each, own));
  return close === undefined ? { ...base, verdict: "right", rival: null, words: [] } : rival("close", close);
}

/**
 * Whether a tool scores nearly as much, or has the words of the question that the expected one has, all but a quarter: then
 * only the weight of its name decides.
 */
function isClose(other: RankedTool, own: RankedTool): boolean {
  if (other.score >= own.score * CLOSE) return true;
  const lacking = own.words.filter((word) => !other.words.includes(word)).length;
  return other.score >= own.score * COVERING && lacking <= Math.floor(own.words.length / 4);
}

const isFound = ({ verdict }: WordResult): boolean => verdict === "right" || verdict === "close";

function countFound(results: readonly WordResult[]): { asked: number; found: number } {
  const asked = results.filter(({ verdict }) => verdict !== "absent");
  return { asked: asked.length, found: asked.filter(isFound).length };
}

/** The pairs of tools that questions do not tell apart, the worst first. */
function listConfusions(results: readonly WordResult[]): Confusion[] {
  const pairs = new Map<string, Confusion>();
  for (const { expected, rival, verdict, question, words } of results) {
    const [first] = expected;
    if (rival === null || first === undefined) continue;
    const key = JSON.stringify([first, rival]);
    const known = pairs.get(key) ?? { expected: first, rival, questions: 0, wrong: 0, example: question, words };
    known.questions += 1;
    if (verdict !== "close") known.wrong += 1;
    pairs.set(key, known);
  }
  return [...pairs.values()].sort((one, other) => other.wrong - one.wrong || other.questions - one.questions);
}
