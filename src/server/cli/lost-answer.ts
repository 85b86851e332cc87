import { setTimeout as wait } from "node:timers/promises";
import type { ApiClient } from "./api-client";
import { type CommandError, EXIT, isCommandError, isLostAnswer, LostAnswerError } from "./command-error";
import type { CommandIo } from "./command-io";
import { write } from "./output";

/** How long a server or a proxy may take to come back. */
const PATIENCE_MS = 120_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;

const isAway = (error: unknown): error is CommandError => isCommandError(error) && error.exitCode === EXIT.unreachable;

/** Asks again while the server or a proxy is away. Only for requests that change nothing, or nothing twice. */
export async function askPatiently<Result>(
  ask: () => Promise<Result>,
  { signal, stderr }: Pick<CommandIo, "signal" | "stderr">,
): Promise<Result> {
  const until = performance.now() + PATIENCE_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (!isAway(error) || performance.now() > until) throw error;
      if (pauseMs === FIRST_PAUSE_MS) await write(stderr, `${error.message} Asking again…\n`);
    }
    await wait(pauseMs, undefined, { signal });
  }
}

/**
 * Sends a request that makes a call, and finds the call where its answer is lost. Its id makes the request safe to repeat: the
 * server takes each id once, so a request that arrived after all does not run the tool again.
 * @returns the text of the execution
 */
export async function sendCall(
  id: string,
  send: () => Promise<string>,
  api: ApiClient,
  io: CommandIo,
): Promise<string> {
  try {
    return await send();
  } catch (error) {
    if (!isLostAnswer(error) || io.signal.aborted) throw error;
    await write(io.stderr, `${error.message} Looking for ${id}…\n`);
  }
  return await askPatiently(async () => (await findCall(id, api)) ?? (await sendAgain(id, send, api)), io);
}

async function sendAgain(id: string, send: () => Promise<string>, api: ApiClient): Promise<string> {
  try {
    return await send();
  } catch (error) {
    // The first request arrived, although its answer was lost.
    if (!isCommandError(error) || error.exitCode !== EXIT.refused || !error.message.includes(id)) throw error;
    const found = await findCall(id, api);
    if (found === null) throw new LostAnswerError(EXIT.unreachable, `${id} is being started.`);
    return found;
  }
}

async function findCall(id: string, api: ApiClient): Promise<string | null> {
  try {
    return await api.getText(`/executions/${encodeURIComponent(id)}`);
  } catch (error) {
    if (isCommandError(error) && error.exitCode === EXIT.notFound) return null;
    throw error;
  }
}
