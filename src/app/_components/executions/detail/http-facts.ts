import type { ExecutionDetail } from "@/lib/contract/execution";
import { isPlainObject } from "@/lib/contract/json";
import { HTTP_META_KEY } from "@/lib/contract/openapi-constants";

/** Status line and headers of the response that an OpenAPI tool got; null for other results. */
export function readHttpFacts({
  resultText,
  resultTruncated,
}: Pick<ExecutionDetail, "resultText" | "resultTruncated">) {
  if (resultText === null || resultTruncated || !resultText.includes(`"${HTTP_META_KEY}"`)) return null;
  let result: unknown;
  try {
    result = JSON.parse(resultText);
  } catch {
    return null;
  }
  const meta = own(own(result, "_meta"), HTTP_META_KEY);
  const status = own(meta, "status");
  if (typeof status !== "number") return null;
  const headers = own(meta, "headers");
  const lines = isPlainObject(headers)
    ? Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)
    : [];
  return { status: `${status} ${String(own(meta, "statusText") ?? "")}`.trim(), headers: lines };
}

function own(value: unknown, key: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
