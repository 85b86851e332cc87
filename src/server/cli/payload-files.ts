import { createWriteStream } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { getMessage } from "../../lib/get-message";
import { CommandError, EXIT, usageError } from "./command-error";
import type { CommandIo, OutputStream } from "./command-io";
import { write } from "./output";

/** The text of `@file`, of stdin for `-`, else the word itself. @throws CommandError that names the file */
export async function readPayload(word: string, { stdin, cwd }: Pick<CommandIo, "stdin" | "cwd">): Promise<string> {
  if (word === "-") {
    const pieces: Buffer[] = [];
    for await (const piece of stdin) pieces.push(Buffer.from(piece as Uint8Array | string));
    return withoutMark(Buffer.concat(pieces).toString());
  }
  if (!word.startsWith("@")) return word;
  const file = path.resolve(cwd, word.slice(1));
  try {
    return withoutMark(await readFile(file, "utf8"));
  } catch (error) {
    throw usageError(`The file cannot be read: ${getMessage(error)}.`);
  }
}

/** The text of a file, or of stdin for `-`. */
export const readFileArgument = (file: string, io: Pick<CommandIo, "stdin" | "cwd">): Promise<string> =>
  readPayload(file === "-" ? "-" : `@${file}`, io);

/** Editors put a byte order mark first, which is not valid JSON. */
const withoutMark = (text: string): string => text.replace(/^\u{feff}/u, "");

/** Writes pieces to a file, or to stdout. */
export async function pour(
  pieces: ReadableStream<Uint8Array>,
  output: string | undefined,
  { cwd, stdout }: CommandIo,
): Promise<void> {
  if (output === undefined) return await copyPieces(pieces, stdout);
  const file = path.resolve(cwd, output);
  await mkdir(path.dirname(file), { recursive: true });
  // Arguments and results must be readable only by the user.
  const target = createWriteStream(file, { mode: 0o600 });
  try {
    await copyPieces(pieces, target);
    await new Promise<void>((resolve, reject) =>
      target.end((error?: Error | null) => (error ? reject(error) : resolve())),
    );
  } catch (error) {
    target.destroy();
    throw isFileError(error) ? usageError(`The file cannot be written: ${getMessage(error)}.`) : error;
  }
}

const isFileError = (error: unknown): boolean => error instanceof Error && "syscall" in error && "path" in error;

async function copyPieces(pieces: ReadableStream<Uint8Array>, target: OutputStream): Promise<void> {
  let failure: Error | null = null;
  const onError = (error: Error): void => {
    failure = error;
  };
  target.once("error", onError);
  try {
    for await (const piece of pieces as unknown as AsyncIterable<Uint8Array>) await write(target, piece);
  } catch (error) {
    if (failure !== null || isFileError(error)) throw failure ?? error;
    throw new CommandError(EXIT.unreachable, "The export broke off before its end.", "Try again.");
  } finally {
    target.off("error", onError);
  }
}
