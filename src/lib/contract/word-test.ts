import { z } from "zod";
import type { ToolDefinition } from "./tool-definition";

export const MAX_WORD_QUESTIONS = 500;

/**
 * Where a question comes from: a confirmed eval, the recorded reason of a call, the first message of a run, the tool's own
 * description, or a file. What was called then is not known to be right.
 */
export const wordOriginSchema = z.enum(["eval", "reason", "prompt", "description", "file"]);
export type WordOrigin = z.infer<typeof wordOriginSchema>;

export const wordQuestionSchema = z.object({
  question: z.string().trim().min(1).max(4000),
  /** Any of them is right. */
  expected: z.array(z.string().trim().min(1).max(200)).min(1).max(20),
  forbidden: z.array(z.string().trim().min(1).max(200)).max(20).default([]),
});
export type WordQuestion = z.infer<typeof wordQuestionSchema> & { origin: WordOrigin };

/**
 * `right`: an expected tool is first; `close`: it is first, but another one is within a tenth; `wrong`: another one is first;
 * `missed`: no word of the question is one of the expected tools'; `absent`: no expected tool is offered.
 */
export const wordVerdictSchema = z.enum(["right", "close", "wrong", "missed", "absent"]);
export type WordVerdict = z.infer<typeof wordVerdictSchema>;

export const wordResultSchema = z.object({
  question: z.string(),
  origin: wordOriginSchema,
  expected: z.array(z.string()),
  verdict: wordVerdictSchema,
  /** The best tools with their scores, best first. */
  ranked: z.array(z.object({ name: z.string(), score: z.number() })),
  /** The tool that takes the question from the expected one, or nearly does; null where none does. */
  rival: z.string().nullable(),
  /** The words of the question that lead to the rival. */
  words: z.array(z.string()),
});
export type WordResult = z.infer<typeof wordResultSchema>;

/** Two tools that the words of a question do not tell apart. */
export const confusionSchema = z.object({
  expected: z.string(),
  rival: z.string(),
  /** Questions that lead to the rival, or nearly. */
  questions: z.number().int(),
  /** Of them, those that lead to the rival. */
  wrong: z.number().int(),
  example: z.string(),
  words: z.array(z.string()),
});
export type Confusion = z.infer<typeof confusionSchema>;

export const wordReportSchema = z.object({
  tools: z.number().int(),
  /** Questions that count: not those whose tools are absent. */
  asked: z.number().int(),
  /** Questions that lead to an expected tool. */
  found: z.number().int(),
  confusions: z.array(confusionSchema),
  results: z.array(wordResultSchema),
  /** More questions were there than are asked at once, or more tools than are ranked. */
  isCut: z.boolean(),
});
export type WordReport = z.infer<typeof wordReportSchema>;

/** The effect of an edit of one tool. */
export interface WordComparison {
  before: { asked: number; found: number };
  after: { asked: number; found: number };
  /** The questions whose outcome changes. */
  changes: { question: string; origin: WordOrigin; expected: string[]; before: WordResult; after: WordResult }[];
  /** The confusable pairs that the edit makes, or makes worse. */
  confusions: Confusion[];
}

/** The texts by which a tool is found. */
export type ToolWords = Pick<ToolDefinition, "name" | "title" | "description" | "tags" | "parameters">;

/** A tool with its score for a question, and the words of the question that it has. */
export interface RankedTool {
  name: string;
  score: number;
  words: string[];
}

export interface ToolRanker {
  /** Tools that have words of the question, best first. */
  rank(question: string): RankedTool[];
  /** Puts a definition in the place of a tool, or adds it. */
  replace(name: string, tool: ToolWords): void;
}

export type CreateToolRanker = (tools: readonly ToolWords[]) => ToolRanker;
