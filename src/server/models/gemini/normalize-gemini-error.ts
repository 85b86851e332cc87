import { IncompleteResponseError, parseErrorText, VendorError } from "../vendor-error";

/** The SDK's message for a stream that ends inside an event. */
const CUT_EVENT = /^Incomplete JSON segment/;

/** Errors inside a stream: the SDK puts the event's JSON into the message, after words of its own. */
export function normalizeGeminiError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message } = error;
  if (CUT_EVENT.test(message)) return new IncompleteResponseError();
  if (name !== "ApiError") return error;
  return new VendorError(parseErrorText(message.slice(Math.max(0, message.indexOf("{"))), message));
}
