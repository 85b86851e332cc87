import { describeProblem, type Problem } from "../../../lib/contract/problem";

/** Why a request is refused: a closed set, each code with its HTTP status. */
export const HTTP_STATUS = {
  NOT_FOUND: 404,
  CONFLICT: 409,
  INVALID: 400,
  READ_ONLY: 403,
  UNAVAILABLE: 503,
  // The request is not authenticated.
  UNAUTHENTICATED: 401,
  // The role or the token does not allow it.
  DENIED: 403,
  // More requests than TOOLROOM_RATE_LIMIT allows.
  TOO_MANY_REQUESTS: 429,
  // An Idempotency-Key of another request.
  KEY_REUSED: 422,
  METHOD_NOT_ALLOWED: 405,
  // Another edit came before the one that If-Match names.
  PRECONDITION_FAILED: 412,
} as const;
export type AppErrorCode = keyof typeof HTTP_STATUS;

/** A bad request or a state that forbids it. `message` is for users: it names the field and the way out. */
export class AppError extends Error {
  override readonly name = "AppError";
  constructor(
    readonly code: AppErrorCode,
    message: string,
    /** Every problem of the input, for forms. */
    readonly problems: readonly Problem[] = [],
    options?: ErrorOptions & { retryAfterSeconds?: number },
  ) {
    super(message, options);
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
  /** The time after which the same request may be allowed. */
  readonly retryAfterSeconds: number | undefined;
}

/** The `Retry-After` header of a refusal; nothing for one that waiting does not help. */
export function retryHeaders({ retryAfterSeconds }: AppError): Record<string, string> {
  return retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
}

/** Status and headers of a refusal, for answers that do not pass through tRPC. */
export function toRefusalInit(refusal: AppError): { status: number; headers: Record<string, string> } {
  return { status: HTTP_STATUS[refusal.code], headers: { "cache-control": "no-store", ...retryHeaders(refusal) } };
}

/** Refuses input with everything that is wrong with it. @param intro what the list of problems follows */
export function invalidInput(intro: string, problems: readonly Problem[], separator?: string): AppError {
  const list = problems.map((problem) => describeProblem(problem, separator)).join("; ");
  return new AppError("INVALID", `${intro}${list}`, problems);
}

/** The AppError among an error and its causes. */
export function findAppError(thrown: unknown): AppError | null {
  let current = thrown;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if (isAppError(current)) return current;
    current = current.cause;
  }
  return null;
}

/** Compares name and code: every bundle of the process has its own copy of the class, so `instanceof` fails. */
export function isAppError(error: unknown): error is AppError {
  if (typeof error !== "object" || error === null) return false;
  const { name, code } = error as { name?: unknown; code?: unknown };
  return name === "AppError" && typeof code === "string" && Object.hasOwn(HTTP_STATUS, code);
}
