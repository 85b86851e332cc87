/** Why a request is refused: a closed set, mapped to HTTP once, in the API's error formatter. */
export const APP_ERROR_CODES = ["NOT_FOUND", "CONFLICT", "INVALID", "READ_ONLY", "UNAVAILABLE"] as const;
export type AppErrorCode = (typeof APP_ERROR_CODES)[number];

/** A bad request or a state that forbids it. `message` is for people: it names the field and the way out. */
export class AppError extends Error {
  override readonly name = "AppError";
  constructor(
    readonly code: AppErrorCode,
    message: string,
    /** Each thing wrong, where there are several. */
    readonly problems: readonly string[] = [],
  ) {
    super(message);
  }
}

/** By name and code: every bundle of the process has its own copy of the class, so `instanceof` would lie. */
export function isAppError(error: unknown): error is AppError {
  if (typeof error !== "object" || error === null) return false;
  const { name, code } = error as { name?: unknown; code?: unknown };
  return name === "AppError" && APP_ERROR_CODES.some((known) => known === code);
}
