import type { AppError } from "../../platform/shared/app-error";
import { toJsonResponse } from "../../platform/shared/responses";

/** Its body was read already. */
export function copyRequest(request: Request, text: string): Request {
  const { url, method, headers } = request;
  return new Request(url, method === "POST" ? { method, headers, body: text } : { method, headers });
}

/** Behind a trusted proxy with TLS and without TOOLROOM_PUBLIC_URL, the library does not know that the client uses TLS. */
export function setCookies(response: Response, request: Request, cookies: readonly string[]): void {
  const secure = request.headers.get("x-forwarded-proto") === "https";
  for (const cookie of cookies) {
    response.headers.append("set-cookie", secure && !/; *secure\b/i.test(cookie) ? `${cookie}; Secure` : cookie);
  }
}

export function rejectSignIn(
  status: number,
  message: string,
  headers = {},
  problems: AppError["problems"] = [],
): Response {
  return toJsonResponse(status, { error: { message, problems } }, headers);
}
