const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** The request never reached a server. */
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH", "EAI_AGAIN"]);
const UNAVAILABLE = 503;
const SESSION_NOT_FOUND = -32001;

/** Whether a message belongs to the protocol that needs no session. @param {any} message @returns {boolean} */
export function isStateless(message) {
  return typeof message?.params?._meta?.[VERSION_KEY] === "string";
}

/**
 * Whether a failed request surely has not run: it never arrived, its session is unknown, or the server starts or stops.
 * @param {any} error @returns {boolean}
 */
export function wasNotTaken(error) {
  if ((error?.status ?? error?.data?.status) === UNAVAILABLE) return true;
  if (errorBody(error)?.error.code === SESSION_NOT_FOUND) return true;
  for (let cause = error, depth = 0; cause && depth < 5; cause = cause.cause, depth += 1) {
    if (NOT_SENT.has(cause.code)) return true;
    if (cause.errors?.some?.((/** @type {any} */ one) => NOT_SENT.has(one?.code))) return true;
  }
  return false;
}

/**
 * The JSON-RPC error in the body of a refused HTTP request.
 * @param {any} error @returns {{ jsonrpc: "2.0", error: { code: number, message: string } } | null}
 */
export function errorBody(error) {
  try {
    const body = JSON.parse(error?.text ?? error?.data?.text);
    return typeof body?.error?.code === "number" ? { jsonrpc: "2.0", error: body.error } : null;
  } catch {
    return null;
  }
}

/** @param {any} message @param {string} text */
export function errorAnswer(message, text) {
  return { jsonrpc: /** @type {const} */ ("2.0"), id: message.id, error: { code: -32000, message: text } };
}

/** A null id answers a request whose own could not be read. @param {string | number | null} id @param {string} text */
export function invalidRequest(id, text) {
  return { jsonrpc: /** @type {const} */ ("2.0"), id, error: { code: -32600, message: text } };
}

/** Returns the text that a model reads where its call got no answer. @param {any} message @param {string} text */
export function callFailure(message, text) {
  const result = { content: [{ type: "text", text }], isError: true };
  return {
    jsonrpc: /** @type {const} */ ("2.0"),
    id: message.id,
    result: isStateless(message) ? { ...result, resultType: "complete" } : result,
  };
}

/** @param {unknown} error */
export const lostText = (error) =>
  `Toolroom did not answer: ${toReason(error)}. The call may have run: check Executions.`;

/** @param {unknown} error */
export function toReason(error) {
  if (!(error instanceof Error)) return String(error);
  const cause = /** @type {{ message?: unknown } | undefined} */ (error.cause)?.message;
  return typeof cause === "string" && cause !== "" ? `${error.message} (${cause})` : error.message;
}

/** The headers of a request; the token is needed where Toolroom has accounts. */
export function requestHeaders() {
  const token = process.env.TOOLROOM_API_TOKEN;
  return { "toolroom-stdio": "1", ...(token ? { authorization: `Bearer ${token}` } : {}) };
}
