/** @typedef {{ info(facts: object, message: string): void, error(facts: object, message: string): void }} Logger */

/** Node's error of a request whose client has gone before its body was complete. */
function isAbortedBody(/** @type {Error} */ error) {
  return error.message === "aborted" && "code" in error && error.code === "ECONNRESET";
}

/**
 * Next prints the errors that it catches with `console.error`, over several lines: here each is one line of the log. To be
 * called before Next is loaded, which wraps the function.
 * @param {() => Logger | null} findLogger null while the server starts
 */
export function logPrintedErrors(findLogger) {
  const print = console.error;
  console.error = (...values) => {
    const [error] = values;
    const logger = findLogger();
    if (logger === null || !(error instanceof Error)) print(...values);
    else if (isAbortedBody(error)) logger.info({}, "A client disconnected before its request was complete");
    else logger.error({ stack: error.stack }, "Request failed unexpectedly");
  };
}
