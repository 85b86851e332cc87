import type { z } from "zod";
import { problemsOfIssues } from "../../../lib/contract/problem";
import { findAppError, invalidInput, toRefusalInit } from "../../platform/shared/app-error";

/** Answers with a file, or why there is none. */
export async function answerDownload(answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    const refusal = findAppError(error);
    if (refusal === null) throw error;
    return Response.json({ error: { message: refusal.message } }, toRefusalInit(refusal));
  }
}

/** Reads a parameter that is a word or JSON. @throws AppError INVALID that names it */
export function readParam<T>(schema: z.ZodType<T>, text: string, name: string): T {
  const result = schema.safeParse(parse(text));
  if (result.success) return result.data;
  throw invalidInput(`${name}: `, problemsOfIssues(result.error.issues));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
