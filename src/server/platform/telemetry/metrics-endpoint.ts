import type { IncomingMessage, ServerResponse } from "node:http";
import { explainDenial, isLimited, type Principal } from "../../../lib/contract/access";
import { checkIncomingRequest, type HostPolicy } from "../../../lib/http-guard/host-policy";
import { type RequestHeaders, toHeaders } from "../../../lib/http-guard/request-headers";
import { findAppError, retryHeaders } from "../shared/app-error";

interface MetricsEndpointPorts {
  render: () => Promise<{ text: string; type: string }>;
  access: {
    /** Whether users have accounts; otherwise everyone who reaches the server may read. */
    accounts: boolean;
    /** @throws AppError for a request that is refused */
    enter(headers: RequestHeaders): Promise<Principal | null>;
  };
  hostPolicy: HostPolicy;
  onError: (error: unknown) => void;
}

/** For server.mjs, which serves `/metrics` itself. */
export interface MetricsEndpoint {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** With accounts, a reader needs an account or a token that may read everything: the page names tools and servers. */
export function createMetricsEndpoint({ render, access, hostPolicy, onError }: MetricsEndpointPorts): MetricsEndpoint {
  async function checkReader(request: IncomingMessage): Promise<{ status: number; message: string } | null> {
    if (!access.accounts) return null;
    const reader = await access.enter(toHeaders(request));
    if (reader === null) return { status: 401, message: "Send an API token: Authorization: Bearer <token>" };
    const denial = explainDenial(reader, "read");
    if (denial !== null) return { status: 403, message: denial };
    const isPartial = reader.token !== null && isLimited(reader.token);
    return isPartial
      ? { status: 403, message: "This needs a token without limits to tools, servers or toolsets" }
      : null;
  }

  return {
    async handle(request, response) {
      try {
        const verdict = checkIncomingRequest(request, hostPolicy);
        if (!verdict.allowed) return reject(response, verdict.status, verdict.message);
        const refusal = await checkReader(request);
        if (refusal !== null) return reject(response, refusal.status, refusal.message);
        const { text, type } = await render();
        response.writeHead(200, { "content-type": type, "cache-control": "no-store" });
        response.end(request.method === "HEAD" ? undefined : text);
      } catch (error) {
        const refusal = findAppError(error);
        if (refusal === null) {
          onError(error);
          return reject(response, 500, "The metrics could not be read");
        }
        const status = refusal.code === "TOO_MANY_REQUESTS" ? 429 : 401;
        reject(response, status, refusal.message, status === 429 ? retryHeaders(refusal) : {});
      }
    },
  };
}

function reject(response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}): void {
  const challenge = status === 401 ? { "www-authenticate": "Bearer" } : {};
  response
    .writeHead(status, {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      ...challenge,
      ...headers,
    })
    .end(`${message}\n`);
}
