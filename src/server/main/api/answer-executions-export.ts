import { z } from "zod";
import { isLimited } from "../../../lib/contract/access";
import { executionFilterSchema } from "../../../lib/contract/execution";
import { answerExport, EXPORT_FORMATS } from "../../features/executions/export-executions";
import { AppError } from "../../platform/shared/app-error";
import { watchReader } from "../../platform/shared/watch-reader";
import type { RequestContext } from "./context";
import { answerDownload, readParam } from "./download-params";

/** The console's export of executions: `?format=har&filter={"server":"orders"}`. Rejects for internal errors only. */
export const answerExecutionsExport = (request: Request, context: RequestContext): Promise<Response> =>
  answerDownload(async () => {
    const { searchParams } = new URL(request.url);
    const format = readParam(z.enum(EXPORT_FORMATS), searchParams.get("format") ?? "jsonl", "format");
    const filter = readParam(executionFilterSchema, searchParams.get("filter") ?? "{}", "filter");
    const { actor, refusal, services, recheck, onAccessChange: onChange, stopping } = context;
    if (actor === null) throw refusal ?? new AppError("UNAUTHENTICATED", "Sign in first");
    if (actor.token !== null && isLimited(actor.token)) {
      throw new AppError("DENIED", "A limited token exports with GET /api/v1/executions/export");
    }
    const watch = (onLost: () => void) => watchReader({ userId: actor.id, recheck, onChange, onLost });
    return answerExport(services.executions, { ...{ filter, format, watch, stopping }, isLimited: false });
  });
