import type { IncomingMessage } from "node:http";
<<<<<<< HEAD:src/server/platform/shared/judge-incoming.ts
import { type HostPolicy, judgeRequest, type Verdict } from "../../../lib/http-guard/host-policy";
=======
import { guardRequest, type Verdict } from "../../../lib/http-guard/guard-request";
import type { HostPolicy } from "../../../lib/http-guard/host-policy";
>>>>>>> 808e4bf6 (File names say checker, verdict, guard and instances, as the vocabulary does):src/server/platform/shared/check-incoming-request.ts

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
