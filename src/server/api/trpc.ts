import { initTRPC, TRPCError } from "@trpc/server";
import { ZodError } from "zod";
import { plainJson } from "../../lib/plain-json";
import { type AppErrorCode, isAppError } from "../app-error";
import type { ApiContext } from "./context";

const HTTP_OF: Record<AppErrorCode, TRPCError["code"]> = {
  NOT_FOUND: "NOT_FOUND",
  CONFLICT: "CONFLICT",
  INVALID: "BAD_REQUEST",
  READ_ONLY: "FORBIDDEN",
  UNAVAILABLE: "SERVICE_UNAVAILABLE",
};

const t = initTRPC.context<ApiContext>().create({
  transformer: plainJson,
  sse: {
    ping: { enabled: true, intervalMs: 15_000 },
    client: { reconnectAfterInactivityMs: 40_000 },
  },
  errorFormatter({ shape, error }) {
    const { stack: _stack, ...data } = shape.data;
    return {
      ...shape,
      message: messageFor(error),
      data: { ...data, problems: isAppError(error.cause) ? [...error.cause.problems] : [] },
    };
  },
});

/** What a person reads. Faults of ours say nothing of the inside; the log has them. */
function messageFor(error: TRPCError): string {
  if (error.code === "BAD_REQUEST" && error.cause instanceof ZodError) {
    return error.cause.issues.map((issue) => `${issue.path.join(".") || "input"}: ${issue.message}`).join("; ");
  }
  if (error.code === "INTERNAL_SERVER_ERROR") return "Something went wrong in the server; its log says what";
  return error.message;
}

/** Services refuse with an AppError; here, once, it becomes HTTP. */
const refusals = t.middleware(async ({ next }) => {
  const result = await next();
  if (!result.ok && isAppError(result.error.cause)) {
    const { code, message } = result.error.cause;
    throw new TRPCError({ code: HTTP_OF[code], message, cause: result.error.cause });
  }
  return result;
});

export const router = t.router;
export const procedure = t.procedure.use(refusals);
