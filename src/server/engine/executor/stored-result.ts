import type { ToolCallResult } from "../../../lib/contract/content";
import { parseExact } from "../../../lib/json/exact-text";
import { toJsonText } from "../../../lib/json/known-text";
import { utf8Bytes } from "../../../lib/utf8-bytes";
import type { CallMask } from "../masking/call-mask";
import type { ExecutionEnd } from "../ports";
import { cutAtBytes } from "./output-limits";
import { isToolCallResult, withoutLargestMedia } from "./tool-call-result";

/** The part of a result that is stored, masked: whole up to the limit, then without its largest media, then cut. */
export function storedResult(
  { result, resultText }: { result?: unknown; resultText?: string | undefined },
  maxStoredBytes: number,
  mask: CallMask,
): Pick<ExecutionEnd, "resultText" | "resultTruncated" | "resultBytes" | "storedBytes"> {
  if (resultText === undefined) {
    return { resultText: null, resultTruncated: false, resultBytes: null, storedBytes: null };
  }
  const masked = mask.resultText(resultText);
  const isUnchanged = masked === resultText;
  const resultBytes = utf8Bytes(masked);
  if (resultBytes <= maxStoredBytes) {
    return { resultText: masked, resultTruncated: false, resultBytes, storedBytes: resultBytes };
  }
  const lighter = isToolCallResult(result)
    ? withoutLargestMedia(isUnchanged ? result : (parseExact(masked) as ToolCallResult), resultBytes - maxStoredBytes)
    : null;
  const { text } = cutAtBytes(lighter === null ? masked : (toJsonText(lighter) ?? masked), maxStoredBytes);
  return { resultText: text, resultTruncated: true, resultBytes, storedBytes: utf8Bytes(text) };
}
