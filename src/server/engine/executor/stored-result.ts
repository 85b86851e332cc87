import { utf8Bytes } from "../../../lib/utf8-bytes";
import type { ExecutionEnd } from "../ports";
import { cutAtBytes } from "./output-limits";
import { isToolCallResult, withoutLargestMedia } from "./tool-call-result";

/** The part of a result that is stored: whole up to the limit, then without its largest media, then cut. */
export function storedResult(
  { result, resultText }: { result?: unknown; resultText?: string | undefined },
  maxStoredBytes: number,
): Pick<ExecutionEnd, "resultText" | "resultTruncated" | "resultBytes" | "storedBytes"> {
  if (resultText === undefined) {
    return { resultText: null, resultTruncated: false, resultBytes: null, storedBytes: null };
  }
  const resultBytes = utf8Bytes(resultText);
  if (resultBytes <= maxStoredBytes) {
    return { resultText, resultTruncated: false, resultBytes, storedBytes: resultBytes };
  }
  const lighter = isToolCallResult(result) ? withoutLargestMedia(result, resultBytes - maxStoredBytes) : null;
  const { text } = cutAtBytes(lighter === null ? resultText : JSON.stringify(lighter), maxStoredBytes);
  return { resultText: text, resultTruncated: true, resultBytes, storedBytes: utf8Bytes(text) };
}
