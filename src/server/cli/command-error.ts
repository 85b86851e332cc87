/** The meaning of a command's exit code. */
export const EXIT = {
  done: 0,
  /** A tool, or the test of a server, failed. */
  failed: 1,
  /** The command line or the arguments are wrong. */
  usage: 2,
  notFound: 3,
  /** The server or a user refused it. */
  refused: 4,
  /** No Toolroom answers at the address. */
  unreachable: 5,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with one sentence and a way out. */
export class CommandError extends Error {
  override readonly name = "CommandError";

  /** @param wayOut what to do next; empty where the message says it */
  constructor(
    readonly exitCode: ExitCode,
    message: string,
    readonly wayOut = "",
  ) {
    super(message);
  }
}

export const usageError = (message: string, wayOut = ""): CommandError => new CommandError(EXIT.usage, message, wayOut);

/** Compares the name, since parts of the program may be bundled separately. */
export function isCommandError(error: unknown): error is CommandError {
  return error instanceof Error && error.name === "CommandError" && "exitCode" in error;
}

/** The answer of a request that may have arrived was lost: the connection broke, or a proxy answered in its place. */
export class LostAnswerError extends CommandError {
  readonly isLost = true;
}

export const isLostAnswer = (error: unknown): error is LostAnswerError => isCommandError(error) && "isLost" in error;
