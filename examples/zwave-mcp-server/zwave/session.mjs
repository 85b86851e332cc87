import { WebSocket } from "ws";
import { createNetworkState, isRecord } from "./network-state.mjs";

/** The first version of the API that tells an error's message and a command's outcome in the shapes read here. */
const API_SCHEMA = 32;
const OPEN_TIMEOUT_MS = 10_000;
const HEARTBEAT_MS = 30_000;
/** The first answer holds the whole network: some hundred kilobytes for each device with many parameters. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
const LOGGED_CHARS = 200;

/** The server refused or failed a command. `code` is its error code, `zwaveCode` the driver's. */
export class CommandError extends Error {
  /** @param {string} message @param {{ code?: string, zwaveCode?: string }} [details] */
  constructor(message, { code = "", zwaveCode = "" } = {}) {
    super(message);
    this.name = "CommandError";
    this.code = code;
    this.zwaveCode = zwaveCode;
  }
}

/** @param {Record<string, any>} answer */
const toCommandError = (answer) =>
  new CommandError(`${answer.zwaveErrorMessage ?? answer.message ?? answer.errorCode ?? "no reason given"}`, {
    code: `${answer.errorCode}`,
    zwaveCode: `${answer.zwaveErrorCodeName ?? ""}`,
  });

/** @typedef {{ timeoutMs?: number, signal?: AbortSignal }} CommandOptions */

/**
 * @typedef {object} Session
 * @property {Map<number, import("./network-state.mjs").ZwaveNode>} nodes kept current by the server's events
 * @property {(command: string, args: Record<string, unknown>, options?: CommandOptions) => Promise<any>} command
 * @property {() => void} end
 */

/**
 * One WebSocket connection to zwave-js-server, from its greeting to its end.
 * @param {string} url
 * @param {{ log: (message: string) => void, onEnd: (reason: string) => void }} options
 * @returns {Promise<Session>}
 */
export async function openSession(url, { log, onEnd }) {
  const socket = new WebSocket(url, { handshakeTimeout: OPEN_TIMEOUT_MS, maxPayload: MAX_MESSAGE_BYTES });
  const network = createNetworkState();
  /** @type {Map<string, { take: (result: any) => void, refuse: (error: Error) => void }>} */
  const waiting = new Map();
  let lastMessageId = 0;
  let established = false;
  let failure = "";
  let answersPings = true;

  /** @type {PromiseWithResolvers<Record<string, any>>["resolve"]} */
  let greet = () => {};
  /** @type {(error: Error) => void} */
  let giveUp = () => {};
  const greeting = new Promise((resolve, reject) => {
    greet = resolve;
    giveUp = reject;
  });

  /** @param {unknown} message */
  function receive(message) {
    if (!isRecord(message)) throw new Error("not an object");
    if (message.type === "version") greet(message);
    else if (message.type === "event" && isRecord(message.event)) {
      // The driver behind the server began anew, perhaps with another network: so do we.
      if (message.event.source === "driver" && message.event.event === "driver ready") socket.close();
      else network.apply(message.event);
    } else if (message.type === "result") {
      const caller = waiting.get(`${message.messageId}`);
      if (message.success === true) caller?.take(message.result);
      else caller?.reject(toCommandError(message));
    } else throw new Error("of no known type");
  }

  socket.on("message", (data, isBinary) => {
    const text = isBinary ? "(binary)" : data.toString();
    try {
      receive(JSON.parse(text));
    } catch (error) {
      // Whatever this was, the next message may be one that somebody waits for.
      const reason = error instanceof Error ? error.message : `${error}`;
      log(`ignored a message of the Z-Wave server (${reason}): ${JSON.stringify(text.slice(0, LOGGED_CHARS))}`);
    }
  });
  socket.on("pong", () => {
    answersPings = true;
  });
  socket.on("error", (error) => {
    failure = explainFailure(error);
  });
  const heartbeat = setInterval(() => {
    if (!answersPings) socket.terminate();
    answersPings = false;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, HEARTBEAT_MS);
  socket.on("close", (code, reason) => {
    clearInterval(heartbeat);
    const cause = failure || `it closed the connection (${code}${reason.length > 0 ? `: ${reason}` : ""})`;
    giveUp(new Error(cause));
    const lost = new CommandError(`The connection to the Z-Wave server was lost: ${cause}`, { code: "lost" });
    for (const { reject: rejectCommand } of [...waiting.values()]) rejectCommand(lost);
    if (established) onEnd(cause);
  });

  /**
   * @param {string} command @param {Record<string, unknown>} [args]
   * @param {CommandOptions & { onResult?: (result: any) => void }} [options] `onResult` runs before the next message
   * @returns {Promise<any>}
   */
  function send(command, args = {}, { timeoutMs = OPEN_TIMEOUT_MS, signal, onResult } = {}) {
    const messageId = `${++lastMessageId}`;
    return new Promise((resolve, reject) => {
      const settle = (/** @type {() => void} */ outcome) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        waiting.delete(messageId);
        outcome();
      };
      const rejectCommand = (/** @type {Error} */ error) => settle(() => reject(error));
      const abort = () => rejectCommand(new Error("cancelled"));
      const timer = setTimeout(() => {
        rejectCommand(new CommandError(`no answer within ${timeoutMs / 1000} s`, { code: "timeout" }));
      }, timeoutMs);
      const take = (/** @type {any} */ result) => {
        onResult?.(result);
        settle(() => resolve(result));
      };
      waiting.set(messageId, { take, reject: rejectCommand });
      if (signal?.aborted) abort();
      signal?.addEventListener("abort", abort);
      socket.send(JSON.stringify({ messageId, command, ...args }), (error) => error && rejectCommand(error));
    });
  }

  const silence = setTimeout(() => {
    giveUp(new Error(`it did not greet as zwave-js-server within ${OPEN_TIMEOUT_MS / 1000} s`));
  }, OPEN_TIMEOUT_MS);
  try {
    const { maxSchemaVersion, serverVersion } = await greeting;
    if (!(maxSchemaVersion >= API_SCHEMA)) {
      throw new Error(`zwave-js-server ${serverVersion} is too old: API schema ${API_SCHEMA} is needed, update it`);
    }
    await send("initialize", { schemaVersion: API_SCHEMA });
    await send("start_listening", {}, { onResult: (result) => network.load(result?.state) });
  } catch (error) {
    socket.terminate();
    throw error;
  } finally {
    clearTimeout(silence);
  }
  established = true;

  return {
    nodes: network.nodes,
    command: (command, args, options) => send(command, args, options),
    end() {
      established = false;
      socket.terminate();
    },
  };
}

/** @param {Error & { code?: string }} error */
function explainFailure(error) {
  if (error.code === "ECONNREFUSED") return "nothing listens there (connection refused)";
  if (error.code === "ENOTFOUND" || error.code === "EAI_AGAIN") return "its host name is unknown";
  return error.message || error.code || "the connection failed";
}
