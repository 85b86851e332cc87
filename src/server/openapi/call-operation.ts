import type { ContentBlock, ToolCallResult } from "../../lib/contract/content";
import { isPlainObject } from "../../lib/contract/json";
import { HTTP_META_KEY } from "../../lib/contract/openapi-constants";
import { mayChange } from "../../lib/json/exact-text";
import { keepText } from "../../lib/json/known-text";
import { compactInSlices, quoteInSlices } from "../../lib/json/text-in-slices";
import { toUsualTextInSlices } from "../../lib/json/usual-text";
import { INLINE_CHARS, parseJson } from "../../lib/parse-in-slices";
import { decodeText, findMark } from "./decode-text";
import type { ApiOperation } from "./operation";
import type { ApiResponse } from "./send-request";

/** The headers that are kept beside the result; `set-cookie` and others that may be secret are not. */
const KEPT_HEADERS =
  /^(?:content-(?:type|language|range)|etag|last-modified|location|link|retry-after|deprecation|sunset|warning|allow|x-request-id|request-id|x-correlation-id|x-total-count|x-(?:next-)?page|(?:x-)?ratelimit.*|x-github-(?:media-type|request-id)|stripe-version)$/;
const MAX_HEADER_CHARS = 1000;
const TEXT_TYPES =
  /^text\/|[/+](?:(?:x-)?(?:ndjson|jsonl|jsonlines|toml|sql)|json|xml|yaml|x-yaml|javascript|x-www-form-urlencoded|graphql|csv)\b/i;

/** A response as the result of its tool: everything but 2xx is a failure. */
export async function toToolResult(operation: ApiOperation, response: ApiResponse): Promise<ToolCallResult> {
  const { status, statusText, headers, body } = response;
  const type = headers.get("content-type") ?? "";
  const isError = status < 200 || status > 299;
  const kept = Object.fromEntries(
    [...headers]
      .filter(([name]) => KEPT_HEADERS.test(name))
      .map(([name, value]) => [name, value.slice(0, MAX_HEADER_CHARS)]),
  );
  const line = `HTTP ${status} ${statusText}`.trim();
  const _meta = { [HTTP_META_KEY]: { status, statusText, headers: kept } };
  if (body.length === 0) return { content: [text(line)], ...(isError && { isError }), _meta };
  if (!isTextual(type, body)) {
    const media = toMedia(response, type);
    return isError ? { content: [text(line), media], isError, _meta } : { content: [media], _meta };
  }
  const whole = decodeText(body, type);
  if (isError) return { content: [text(`${line}\n${whole}`)], isError, _meta };
  const parsed = await parseBody(type, whole);
  if (parsed === undefined) return { content: [text(whole)], _meta };
  const isWhole = isPlainObject(parsed) && !operation.wrap;
  const result = { content: [text(whole)], structuredContent: isWhole ? parsed : { result: parsed }, _meta };
  await keepBody(result, whole, isWhole);
  return result;
}

/**
 * Numbers of the structured content have the digits that the API sent. The text of a long answer is built in slices, so that the
 * executor does not serialize its value.
 */
async function keepBody(result: ToolCallResult, whole: string, isWhole: boolean): Promise<void> {
  const isLong = whole.length > INLINE_CHARS;
  if (!isLong && !mayChange(whole)) return;
  const exact = await toUsualTextInSlices(isLong ? await compactInSlices(whole) : whole);
  const structured = isWhole ? exact : `{"result":${exact}}`;
  const content = `[{"type":"text","text":${await quoteInSlices(whole)}}]`;
  keepText(result, `{"content":${content},"_meta":${JSON.stringify(result._meta)},"structuredContent":${structured}}`);
}

const text = (value: string): ContentBlock => ({ type: "text", text: value });

function isTextual(type: string, body: Buffer): boolean {
  if (TEXT_TYPES.test(type)) return true;
  // A body without a type counts as text where it contains no binary data.
  return type === "" && (findMark(body) !== null || !body.subarray(0, 1000).includes(0));
}

/** Undefined where the body is not JSON. */
async function parseBody(type: string, whole: string): Promise<unknown> {
  if (type !== "" && !/[/+]json\b/i.test(type)) return undefined;
  try {
    return await parseJson(whole);
  } catch {
    return undefined;
  }
}

function toMedia({ url, body }: ApiResponse, type: string): ContentBlock {
  const mimeType = type.split(";", 1)[0]?.trim() || "application/octet-stream";
  const data = body.toString("base64");
  const [kind] = mimeType.split("/", 1);
  if (kind === "image" || kind === "audio") return { type: kind, data, mimeType };
  return { type: "resource", resource: { uri: `${url.origin}${url.pathname}`, mimeType, blob: data } };
}
