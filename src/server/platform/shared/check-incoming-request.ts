import type { IncomingMessage } from "node:http";
import { guardRequest, type HostPolicy, type Verdict } from "../../../lib/http-guard/host-policy";

/** The guard of the console's API calls: allowed host names, and no foreign pages. */
export function checkIncomingRequest({ method, headers }: IncomingMessage, policy: HostPolicy): Verdict {
  const single = (value: string | string[] | undefined): string | null =>
    (Array.isArray(value) ? value.join(",") : value) ?? null;
  return guardRequest(
    {
      method: method ?? "GET",
      // The guard's name for everything that a foreign page must not call.
      pathname: "/api",
      host: single(headers.host),
      origin: single(headers.origin),
      secFetchSite: single(headers["sec-fetch-site"]),
      contentType: single(headers["content-type"]),
    },
    policy,
  );
}
