import type { ExecutionDetail } from "../../../lib/contract/execution";
import type { HttpCall } from "./http-calls";

const toPairs = (headers: Record<string, string>) => Object.entries(headers).map(([name, value]) => ({ name, value }));
const toBytes = (text: string): number => Buffer.byteLength(text);

/** An entry of a HAR file (version 1.2). What is not recorded is -1, as the format says. */
export function toHarEntry(call: ExecutionDetail, { request, response }: HttpCall): string {
  // An address of a server may have a variable in place of its host.
  const query = URL.canParse(request.url) ? [...new URL(request.url).searchParams] : [];
  const startedAt = call.startedAt ?? call.queuedAt;
  return JSON.stringify({
    startedDateTime: new Date(startedAt).toISOString(),
    time: call.durationMs ?? 0,
    request: {
      ...{ method: request.method, url: request.url, httpVersion: "HTTP/1.1", cookies: [] },
      headers: toPairs(request.headers),
      queryString: query.map(([name, value]) => ({ name, value })),
      ...(request.body !== null && {
        postData: { mimeType: request.headers["content-type"] ?? "", text: request.body },
      }),
      ...{ headersSize: -1, bodySize: request.body === null ? 0 : toBytes(request.body) },
    },
    response: toHarResponse(call, response),
    cache: {},
    timings: { send: -1, wait: call.durationMs ?? 0, receive: -1 },
    comment: `${call.toolName}, ${call.id}`,
  });
}

function toHarResponse(call: ExecutionDetail, response: HttpCall["response"]) {
  const { status = 0, statusText = "", headers = {}, body = "" } = response ?? {};
  return {
    ...{ status, statusText, httpVersion: response === null ? "" : "HTTP/1.1", cookies: [], headers: toPairs(headers) },
    content: {
      ...{ size: toBytes(body), mimeType: headers["content-type"] ?? "", text: body },
      ...(call.resultTruncated && { comment: "Cut when it was stored" }),
    },
    ...{ redirectURL: headers.location ?? "", headersSize: -1, bodySize: -1 },
    ...(response === null && { comment: call.error ?? "No response" }),
  };
}
