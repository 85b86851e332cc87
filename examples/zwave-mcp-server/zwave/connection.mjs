import { openSession } from "./session.mjs";

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** There is no session, and why. Its message names the address and the way out. */
export class UnreachableError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "UnreachableError";
  }
}

/** An address as it may be shown: without a password. @param {string} url */
function shown(url) {
  try {
    const address = new URL(url);
    address.username = address.password = "";
    return address.href.replace(/\/$/, "");
  } catch {
    return url;
  }
}

/**
 * Holds a session with the Z-Wave server: opens one, opens the next when it drops, at longer and longer intervals.
 * @param {object} options
 * @param {() => Promise<string>} options.locate where the server is; asked again before every attempt
 * @param {string} options.wayOut what a person can do when it is not there
 * @param {(message: string) => void} options.log
 */
export function createConnection({ locate, wayOut, log }) {
  /** @type {import("./session.mjs").Session | null} */
  let session = null;
  /** @type {Promise<import("./session.mjs").Session> | null} */
  let opening = null;
  /** @type {NodeJS.Timeout | undefined} */
  let retry;
  let retryMs = FIRST_RETRY_MS;
  let ended = false;

  async function open() {
    let url = "";
    try {
      url = await locate();
      const opened = await openSession(url, { log, onEnd });
      if (ended) {
        opened.end();
        throw new Error("this server is ending");
      }
      session = opened;
      retryMs = FIRST_RETRY_MS;
      log(`connected to the Z-Wave server at ${shown(url)}`);
      return opened;
    } catch (error) {
      const reason = error instanceof Error ? error.message : `${error}`;
      const subject = url
        ? `The Z-Wave server at ${shown(url)} cannot be reached`
        : "The Z-Wave server cannot be reached";
      const failure = new UnreachableError(`${subject}: ${reason}. ${wayOut}`);
      log(failure.message);
      openLater();
      throw failure;
    }
  }

  /** @param {string} reason */
  function onEnd(reason) {
    session = null;
    log(`lost the Z-Wave server: ${reason}`);
    openLater();
  }

  function openLater() {
    if (ended) return;
    clearTimeout(retry);
    // Told and planned again in open().
    retry = setTimeout(() => ready().catch(() => {}), retryMs);
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
  }

  /**
   * The session; a caller does not wait for the next planned attempt but makes it now.
   * @returns {Promise<import("./session.mjs").Session>}
   */
  function ready() {
    if (session) return Promise.resolve(session);
    clearTimeout(retry);
    opening ??= open().finally(() => {
      opening = null;
    });
    return opening;
  }

  return {
    ready,
    end() {
      ended = true;
      clearTimeout(retry);
      session?.end();
    },
  };
}
