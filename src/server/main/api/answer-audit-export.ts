import type { z } from "zod";
import { auditFilterSchema, auditFormatSchema } from "../../../lib/contract/audit-filter";
import { problemsOfIssues } from "../../../lib/contract/problem";
import { AppError, findAppError, invalidInput, toRefusalInit } from "../../platform/shared/app-error";
import { toDownloadHeaders, toTextStream } from "../../platform/shared/responses";
import type { RequestContext } from "./context";

const TYPES = { csv: "text/csv; charset=utf-8", jsonl: "application/jsonl; charset=utf-8" } as const;

/** The audit log as a file: `?format=csv&filter={"outcome":"denied"}`. Rejects for internal errors only. */
export async function answerAuditExport(request: Request, context: RequestContext): Promise<Response> {
  try {
    const { searchParams } = new URL(request.url);
    const format = read(auditFormatSchema, searchParams.get("format") ?? "jsonl", "format");
    const filter = read(auditFilterSchema, parsed(searchParams.get("filter") ?? "{}"), "filter");
    const { actor, refusal, services } = context;
    if (actor === null) throw refusal ?? new AppError("UNAUTHENTICATED", "Sign in first");
    const pieces = await services.auditLog.export(actor, filter, format);
    const day = new Date().toISOString().slice(0, 10);
    return new Response(toTextStream(pieces), {
      headers: toDownloadHeaders(`toolroom-audit-${day}.${format}`, TYPES[format]),
    });
  } catch (error) {
    const refusal = findAppError(error);
    if (refusal === null) throw error;
    return Response.json({ error: { message: refusal.message } }, toRefusalInit(refusal));
  }
}

function read<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidInput(`${name}: `, problemsOfIssues(result.error.issues));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
