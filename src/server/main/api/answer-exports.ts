import { z } from "zod";
import { isLimited } from "../../../lib/contract/access";
import { auditFilterSchema, auditFormatSchema } from "../../../lib/contract/audit-filter";
import { executionFilterSchema } from "../../../lib/contract/execution";
import { problemsOfIssues } from "../../../lib/contract/problem";
import { answerExport, EXPORT_FORMATS } from "../../calls/executions/export-executions";
import { auditOperations } from "../../features/audit/audit-operations";
import { performOperation } from "../../platform/api/perform-operation";
import { AppError, findAppError, invalidInput, toRefusalInit } from "../../platform/shared/app-error";
import { watchReader } from "../../platform/shared/watch-reader";
import type { RequestContext } from "./context";

/** The chosen ids; null for all that match. */
const chosenIdsSchema = z.array(z.string().max(100)).min(1).max(500).nullable();

/** The audit log as a file: `?format=csv&filter={"outcome":"denied"}`. Rejects for internal errors only. */
export const answerAuditExport = (request: Request, context: RequestContext): Promise<Response> =>
  answerDownload(async () => {
    const { searchParams } = new URL(request.url);
    const format = readParam(auditFormatSchema, searchParams.get("format") ?? "jsonl", "format");
    const filter = readParam(auditFilterSchema, searchParams.get("filter") ?? "{}", "filter");
    const { actor, refusal } = context;
    if (actor === null) throw refusal ?? new AppError("UNAUTHENTICATED", "Sign in first");
    const { export: operation } = auditOperations.each;
    return (await performOperation("audit.export", operation, { ...context, actor }, { format, filter })) as Response;
  });

/** The console's export of executions: `?format=csv&filter={"server":"orders"}`, or of some of them with `&ids=[…]`. Rejects for internal errors only. */
export const answerExecutionsExport = (request: Request, context: RequestContext): Promise<Response> =>
  answerDownload(async () => {
    const { searchParams } = new URL(request.url);
    const format = readParam(z.enum(EXPORT_FORMATS), searchParams.get("format") ?? "jsonl", "format");
    const filter = readParam(executionFilterSchema, searchParams.get("filter") ?? "{}", "filter");
    const ids = readParam(chosenIdsSchema, searchParams.get("ids") ?? "null", "ids");
    const { actor, refusal, services, recheck, onAccessChange: onChange, stopping } = context;
    if (actor === null) throw refusal ?? new AppError("UNAUTHENTICATED", "Sign in first");
    if (actor.token !== null && isLimited(actor.token)) {
      throw new AppError("DENIED", "A limited token exports with GET /api/v1/executions/export");
    }
    const watch = (onLost: () => void) => watchReader({ userId: actor.id, recheck, onChange, onLost });
    return answerExport(services.executions, {
      filter: ids === null ? filter : { ...filter, ids },
      format,
      watch,
      stopping,
      bom: isDownload(actor),
      isLimited: false,
    });
  });

/** A user saves the file in a browser; a token is a program's, which reads it. */
const isDownload = ({ token }: NonNullable<RequestContext["actor"]>): boolean => token === null;

/** Answers with a file, or with the reason why there is none. */
async function answerDownload(answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    const refusal = findAppError(error);
    if (refusal === null) throw error;
    return Response.json({ error: { message: refusal.message } }, toRefusalInit(refusal));
  }
}

/** Reads a parameter that is a word or JSON. @throws AppError INVALID that names it */
function readParam<T>(schema: z.ZodType<T>, text: string, name: string): T {
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
