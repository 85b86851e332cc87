import type { MessageId } from "../transport/json-rpc";

/** How servers say that they do not know a session; "session" alone may be one of a tool. */
const LOST_SESSION = [
  /\b(?:unknown|invalid|expired|stale|missing|no (?:valid|such|active|matching))\s+(?:mcp[\s-]?)?session/i,
  /\bsession\b(?:[\s-]?id)?[^.]{0,80}\b(?:not (?:be )?found|not (?:valid|initialized|known|recogni[sz]ed|exist)|does(?: not|n't) exist|expired|unknown|invalid|terminated|closed|gone|lost|no longer)/i,
  /\b(?:server|client|connection|session) (?:is )?not (?:yet )?initialized\b/i,
];
const SEARCHED_CHARS = 2000;
/** The code with which several SDKs answer a request of an unknown session; the official ones also use it for timeouts. */
const SESSION_NOT_FOUND = -32_001;

/** Whether a text may mean that the server does not know the session. */
export function mentionsLostSession(text: string): boolean {
  const searched = text.slice(0, SEARCHED_CHARS);
  return LOST_SESSION.some((pattern) => pattern.test(searched));
}

/** Whether a JSON-RPC error may mean that the server does not know the session. */
export function mayBeLostSession({ code, message }: { code?: unknown; message?: unknown }): boolean {
  const text = typeof message === "string" ? message : "";
  if (code === SESSION_NOT_FOUND) return !/timed? ?out/i.test(text);
  return mentionsLostSession(text);
}

/** Whether an error beside an HTTP status is about the session, not about the request. */
export function refusesSession(
  status: number | null,
  error: { code: number; message: string },
  id: MessageId | null | undefined,
): boolean {
  const isAboutRequest = id !== null && id !== undefined;
  return (status === 404 && !isAboutRequest) || mayBeLostSession(error);
}

/** Whether the protocol says that a request which was refused like this has not run, so that it may be sent again. */
export function isSurelyRefused(status: number | null, body: string): boolean {
  // Servers of the 1.x SDK respond with 400 to an unknown session.
  return status === 404 || (status === 400 && /session/i.test(body));
}
