import { setTimeout as wait } from "node:timers/promises";
import { type Command, InvalidArgumentError } from "commander";
import type { ToolDetail } from "../../lib/contract/catalog-tool";
import { newExecutionId } from "../../lib/execution-id";
import { type ReceivedExecution, readResultText } from "../calls/executions/execution-output";
import { describeTool } from "../features/tools/tool-output";
import { type ApiClient, openApi } from "./api-client";
import { composeArguments, sortCallWords } from "./call-words";
import { CommandError, EXIT, isCommandError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { assertSucceeded } from "./execution-outcome";
import { formatResult } from "./format-result";
import { askPatiently, sendCall } from "./lost-answer";
import { writeParts } from "./operation-commands";
import { write, writeJson } from "./output";
import { readPayload } from "./payload-files";
import { chooseExample } from "./shell-examples";

/** How long the request that makes a call waits for its end: less than proxies wait for an answer. */
export const WAIT_MS = 10_000;
const LOOK_AGAIN_MS = 500;
/** How long a call may take to cancel after Ctrl+C. */
const CANCEL_LIMIT_MS = 3_000;
const CANCEL_TRIES = 5;

interface CallOptions extends ServerOptions {
  wait: boolean;
  timeout?: number;
}

export function addCallCommand(program: Command, io: CommandIo): void {
  const call = defineCommand(program, {
    syntax: "call <tool> [words...]",
    summary: "Call a tool and print its result",
    details:
      "Give the arguments as one JSON object, which is sent as typed, as @file or - for a file or stdin, or each as " +
      "--field value. Fields are typed by the tool's schema: numbers, true and false, JSON for objects and lists; all else is " +
      "text. Options stand before the tool. --json, --no-wait and --help may also stand behind it, where the tool has no " +
      "field of that name; `toolroom call <tool> --help` lists the tool's fields.\n\n" +
      "Prints the result as JSON, unchanged, or formatted on a terminal. The call is recorded like any other; Ctrl+C cancels it.",
    examples: [
      ["toolroom call get_weather --location Oslo", "one field"],
      [
        chooseExample(
          `toolroom call get_weather '{"location":"Oslo"}' --json`,
          `'{"location":"Oslo"}' | toolroom call get_weather - --json`,
        ),
        "JSON, and the whole execution as JSON",
      ],
      [
        chooseExample("toolroom call import_rows @rows.json", "toolroom call import_rows '@rows.json'"),
        "the arguments from a file",
      ],
    ],
  })
    .usage("[options] <tool> [json|@file|-] [--field value]")
    .passThroughOptions()
    .option("--no-wait", "do not wait for the end: print the execution as it stands")
    .option("--timeout <ms>", "instead of the tool's timeout, in milliseconds", parseMilliseconds);
  addServerOptions(call, "print the execution as POST /api/v1/tools/{name}/execute has it").action(
    (tool: string, words: string[], options: CallOptions) => callTool(tool, words, options, io),
  );
}

function parseMilliseconds(text: string): number {
  const ms = Number(text);
  if (Number.isFinite(ms) && ms > 0) return ms;
  throw new InvalidArgumentError("It must be a number of milliseconds above 0.");
}

async function callTool(name: string, words: readonly string[], options: CallOptions, io: CommandIo): Promise<void> {
  const api = await openApi(options, io);
  const path = `/tools/${encodeURIComponent(name)}`;
  const tool = await api.get<ToolDetail>(path);
  const schema = tool.definition.parameters;
  const { payload, fields, flags } = sortCallWords(words, schema);
  if (flags.has("help")) return await writeParts(describeTool(tool), io);
  const text = composeArguments(payload === null ? null : await readPayload(payload, io), fields, schema);
  const waits = options.wait && !flags.has("no-wait");
  const timeout = options.timeout === undefined ? "" : `,"timeoutMs":${options.timeout}`;
  const id = newExecutionId();
  // Written as text, so that the arguments stay as typed.
  const body = `{"executionId":"${id}","arguments":${text},"waitMs":${waits ? WAIT_MS : 0}${timeout}}`;
  const send = (): Promise<string> => api.sendText("POST", `${path}/execute`, body);
  const answer = waits ? await waitForCall(id, send, api, io) : await sendCall(id, send, api, io);
  await printExecution(answer, { isJson: options.json === true || flags.has("json"), waits }, io);
}

/**
 * Makes a call and waits for its end; Ctrl+C cancels it.
 * @param id of the call @returns the text of the execution
 */
export async function waitForCall(
  id: string,
  send: () => Promise<string>,
  api: ApiClient,
  io: CommandIo,
): Promise<string> {
  await write(io.stderr, `Call ${id}\n`);
  try {
    return await waitForEnd(await sendCall(id, send, api, io), api, io);
  } catch (error) {
    if (!io.signal.aborted) throw error;
    const cancelling = cancelCall(id, api, io);
    io.holdExit(cancelling);
    await cancelling;
    throw error;
  }
}

/** A request that makes a call and was broken off may reach the server later than this one. */
async function cancelCall(id: string, api: ApiClient, io: CommandIo): Promise<void> {
  const path = `/executions/${encodeURIComponent(id)}/cancel`;
  const limit = AbortSignal.timeout(CANCEL_LIMIT_MS);
  for (let tries = CANCEL_TRIES; tries > 0; tries -= 1) {
    try {
      await api.sendText("POST", path, "{}", limit);
      return await write(io.stderr, `Cancelled ${id}.\n`);
    } catch (error) {
      if (!isCommandError(error) || error.exitCode !== EXIT.notFound) break;
    }
    await wait(LOOK_AGAIN_MS / 5);
  }
  await write(io.stderr, `${id} may go on: toolroom executions cancel ${id}\n`);
}

/** The text of the execution once it has ended. */
async function waitForEnd(answer: string, api: ApiClient, io: CommandIo): Promise<string> {
  let text = answer;
  let isTold = false;
  for (;;) {
    const { id, status } = JSON.parse(text) as ReceivedExecution;
    if (status !== "running" && status !== "waiting") return text;
    if (status === "waiting" && !isTold) {
      await write(io.stderr, `Needs approval: ${api.url}/approvals?id=${encodeURIComponent(id)}\n`);
      isTold = true;
    }
    await wait(LOOK_AGAIN_MS, undefined, { signal: io.signal });
    text = await askPatiently(() => api.getText(`/executions/${encodeURIComponent(id)}`), io).catch(
      (error: unknown) => {
        if (!isCommandError(error) || error.exitCode !== EXIT.unreachable) throw error;
        throw new CommandError(EXIT.unreachable, error.message, `The call may go on: toolroom executions show ${id}`);
      },
    );
  }
}

interface PrintOptions {
  isJson: boolean;
  /** False where the call may continue. */
  waits: boolean;
}

/** Prints an execution that this command made. @throws CommandError for one that did not succeed */
export async function printExecution(text: string, { isJson, waits }: PrintOptions, io: CommandIo): Promise<void> {
  const execution = JSON.parse(text) as ReceivedExecution;
  const isOpen = execution.status === "running" || execution.status === "waiting";
  if (isJson) await writeJson(io, text);
  else if (execution.status === "succeeded") await write(io.stdout, formatResult(readResultText(text), io));
  else if (isOpen && !waits) await write(io.stdout, `${execution.id}\n`);
  if (!isOpen) assertSucceeded(execution, isJson);
  else if (waits) throw new CommandError(EXIT.failed, `${execution.id} is still ${execution.status}.`);
}
