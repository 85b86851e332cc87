import { auditFilterSchema, auditFormatSchema } from "../../../lib/contract/audit-filter";
import { AppError } from "../../platform/shared/app-error";
import { toDownloadHeaders, toTextStream } from "../../platform/shared/responses";
import type { RequestContext } from "./context";
import { answerDownload, readParam } from "./download-params";

const TYPES = { csv: "text/csv; charset=utf-8", jsonl: "application/jsonl; charset=utf-8" } as const;

/** The audit log as a file: `?format=csv&filter={"outcome":"denied"}`. Rejects for internal errors only. */
export const answerAuditExport = (request: Request, context: RequestContext): Promise<Response> =>
  answerDownload(async () => {
    const { searchParams } = new URL(request.url);
    const format = readParam(auditFormatSchema, searchParams.get("format") ?? "jsonl", "format");
    const filter = readParam(auditFilterSchema, searchParams.get("filter") ?? "{}", "filter");
    const { actor, refusal, services } = context;
    if (actor === null) throw refusal ?? new AppError("UNAUTHENTICATED", "Sign in first");
    const pieces = await services.auditLog.export(actor, filter, format);
    const day = new Date().toISOString().slice(0, 10);
    return new Response(toTextStream(pieces), {
      headers: toDownloadHeaders(`toolroom-audit-${day}.${format}`, TYPES[format]),
    });
  });
