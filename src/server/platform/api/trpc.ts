import { initTRPC, TRPCError, type TRPCMutationProcedure, type TRPCQueryProcedure } from "@trpc/server";
import { ZodError, type z } from "zod";
import { type Problem, problemsOfIssues } from "../../../lib/contract/problem";
import { isNestedDeeperThan } from "../../../lib/json/limits";
import { plainJson } from "../../../lib/json/number-digits";
import type { RequestContext } from "../../main/api/context";
import { AppError, type AppErrorCode, findAppError, HTTP_STATUS, isAppError } from "../shared/app-error";
import { assertMayAsk } from "../shared/audited-call";
import { HEARTBEAT_MS } from "../shared/responses";
import type { AnyOperation, Operation, Operations, RestOnly } from "./operation";
import { performOperation } from "./perform-operation";
import type { ApiContext } from "./route";
import { streamProgress } from "./stream-progress";

const TRPC_CODE: Record<(typeof HTTP_STATUS)[AppErrorCode], TRPCError["code"]> = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_SUPPORTED",
  409: "CONFLICT",
  412: "PRECONDITION_FAILED",
  422: "UNPROCESSABLE_CONTENT",
  429: "TOO_MANY_REQUESTS",
  503: "SERVICE_UNAVAILABLE",
};

const t = initTRPC.context<RequestContext>().create({
  transformer: plainJson,
  // The answers of a batch arrive one by one, the last perhaps after minutes.
  jsonl: { pingMs: HEARTBEAT_MS },
  sse: {
    ping: { enabled: true, intervalMs: HEARTBEAT_MS },
    client: { reconnectAfterInactivityMs: 40_000 },
  },
  errorFormatter({ shape, error }) {
    const { stack: _stack, ...data } = shape.data;
    return {
      ...shape,
      message: messageFor(error),
      data: { ...data, problems: readProblems(error) },
    };
  },
});

/** Every problem of the input, for forms; empty where no field has one. */
function readProblems({ code, cause }: TRPCError): Problem[] {
  if (isAppError(cause)) return [...cause.problems];
  return code === "BAD_REQUEST" && cause instanceof ZodError ? problemsOfIssues(cause.issues) : [];
}

/** The message for users. Internal errors reveal nothing; the log has them. */
function messageFor(error: TRPCError): string {
  if (error.code === "BAD_REQUEST" && error.cause instanceof ZodError) {
    return readProblems(error)
      .map(({ path, message }) => `${path || "input"}: ${message}`)
      .join("; ");
  }
  if (error.code === "INTERNAL_SERVER_ERROR") return "Something went wrong in the server; its log says what";
  return error.message;
}

/** Services refuse with an AppError, which becomes an HTTP status here. */
const refusals = t.middleware(async ({ next }) => {
  const result = await next();
  const refusal = result.ok ? null : findAppError(result.error.cause);
  if (refusal === null) return result;
  throw new TRPCError({ code: TRPC_CODE[HTTP_STATUS[refusal.code]], message: refusal.message, cause: refusal });
});

/** Far beyond any form or definition; deeper input would overflow recursive code. */
const MAX_INPUT_LEVELS = 1000;

const boundedInput = t.middleware(async ({ getRawInput, next }) => {
  if (isNestedDeeperThan(await getRawInput(), MAX_INPUT_LEVELS)) {
    throw new TRPCError({
      code: "BAD_REQUEST",
      message: `input: must not be nested deeper than ${MAX_INPUT_LEVELS} levels`,
    });
  }
  return next();
});

/** Reads of one batch that run at the same time, and the time that they may take together before the others are refused. */
const MAX_READS_AT_ONCE = 4;
const MAX_BATCH_MS = 10_000;

interface BatchWork {
  running: number;
  usedMs: number;
  waiting: (() => void)[];
}

/** Work by context, which the calls of a batch share. */
const batches = new WeakMap<object, BatchWork>();

/** A batch counts as one request for the rate limit, so that its reads share a budget. A call of its own is never refused. */
const withinBatch = t.middleware(async ({ ctx, next }) => {
  const work = batches.get(ctx) ?? { running: 0, usedMs: 0, waiting: [] };
  batches.set(ctx, work);
  if (work.running < MAX_READS_AT_ONCE) work.running += 1;
  else await new Promise<void>((resolve) => work.waiting.push(resolve));
  const begun = performance.now();
  try {
    if (work.usedMs < MAX_BATCH_MS) return await next();
    const message = `The calls before this one in the batch took more than ${MAX_BATCH_MS / 1000} s: send it in a request of its own`;
    throw new AppError("TOO_MANY_REQUESTS", message, [], { retryAfterSeconds: 1 });
  } finally {
    work.usedMs += performance.now() - begun;
    const resume = work.waiting.shift();
    if (resume === undefined) work.running -= 1;
    else resume();
  }
});

/** Reading needs an account with any role; what acts is checked by the services. */
const signedIn = t.middleware(async ({ ctx: { actor, refusal, services }, path, next }) => {
  if (actor === null) throw refusal ?? new AppError("UNAUTHENTICATED", "Sign in first");
  const admitsLimited = path === "executions.run";
  await assertMayAsk(services.auditLog, { by: actor, action: path, permission: "read", admitsLimited });
  return next({ ctx: { actor } });
});

export const router = t.router;
const procedure = t.procedure.use(boundedInput).use(refusals);
export const procedures = { read: procedure.use(withinBatch).use(signedIn), act: procedure.use(signedIn) };

// biome-ignore lint/suspicious/noConfusingVoidType: tRPC lets callers leave out an argument of this type alone.
type Argument<Input> = Input extends undefined ? void : Input;

/** An operation that reports its progress answers with a stream. */
type Answer<Each, Output> = Each extends { reports: z.ZodType<infer Progress> }
  ? AsyncGenerator<{ progress: Progress } | { result: Output }, void>
  : Output;

type ProcedureFor<Each> =
  Each extends Operation<"read", infer Input, infer Output>
    ? TRPCQueryProcedure<{ meta: unknown; input: Argument<Input>; output: Answer<Each, Output> }>
    : Each extends Operation<"act", infer Input, infer Output>
      ? TRPCMutationProcedure<{ meta: unknown; input: Argument<Input>; output: Answer<Each, Output> }>
      : never;

type Procedures<Each> = {
  [Name in keyof Each as Each[Name] extends RestOnly ? never : Name]: ProcedureFor<Each[Name]>;
};

interface Call {
  ctx: ApiContext;
  input: unknown;
  signal?: AbortSignal | undefined;
}

/** The tRPC procedures of a noun's operations, with the types of each. */
export function toRouter<Each extends Record<string, AnyOperation>>({ noun, each }: Operations<Each>) {
  const answered = Object.entries(each).filter(([, { onlyRest }]) => onlyRest === undefined);
  const declared = answered.map(([name, operation]) => {
    const { input: schema, kind } = operation;
    const own = schema === undefined ? procedures[kind] : procedures[kind].input(withFirstPage(schema));
    const answer = async ({ ctx, input, signal }: Call) => {
      const perform = async (context: Parameters<typeof performOperation>[2]) => {
        const result = await performOperation(`${noun}.${name}`, operation, context, toInput(input));
        return operation.output === undefined ? undefined : result;
      };
      if (operation.reports === undefined) return await perform({ ...ctx, signal });
      return await streamProgress(signal, (report) => perform({ ...ctx, signal, report }));
    };
    return [name, kind === "read" ? own.query(answer) : own.mutation(answer)];
  });
  return router(Object.fromEntries(declared) as Procedures<Each>);
}

/** The client sends null as the cursor of the first page. */
function withFirstPage(schema: z.ZodObject): z.ZodObject {
  const { cursor } = schema.shape as Record<string, z.ZodType | undefined>;
  return cursor === undefined ? schema : schema.extend({ cursor: cursor.nullable() });
}

function toInput(input: unknown): object {
  const { cursor, ...others } = (input ?? {}) as { cursor?: unknown };
  return cursor === null || cursor === undefined ? others : (input as object);
}
