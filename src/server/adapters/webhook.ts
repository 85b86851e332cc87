import { createOutgoingFetch, type OutgoingFetch } from "./outgoing/outgoing-fetch";

export type WebhookOutcome = { ok: true } | { ok: false; reason: string; retry: boolean };

const TIMEOUT_MS = 10_000;
/** Statuses worth a retry. */
const RETRYABLE = new Set([408, 425, 429]);

/** Posts JSON to webhooks. Only http and https; redirects are not followed; response bodies are not read. */
export function createWebhook({
  timeoutMs = TIMEOUT_MS,
  fetch = createOutgoingFetch(),
}: {
  timeoutMs?: number;
  fetch?: OutgoingFetch;
} = {}) {
  return {
    /** One attempt; never rejects. Reasons omit the address, which may contain a secret. */
    async post(url: string, body: unknown, signal: AbortSignal): Promise<WebhookOutcome> {
      if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
        return { ok: false, reason: "The address is not an http or https URL", retry: false };
      }
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json", "user-agent": "toolroom" },
          body: JSON.stringify(body),
          signal: AbortSignal.any([signal, timeout]),
        });
        await response.body?.cancel();
        return judge(response);
      } catch (error) {
        if (timeout.aborted) return { ok: false, reason: `No answer within ${timeoutMs / 1000} s`, retry: true };
        if (isRefusal(error)) return { ok: false, reason: error.message, retry: false };
        return { ok: false, reason: `It could not be reached${codeOf(error)}`, retry: true };
      }
    },
  };
}

function judge({ ok, status }: Response): WebhookOutcome {
  if (ok) return { ok: true };
  if (status >= 300 && status < 400) {
    return { ok: false, reason: `It answered with a redirect (${status}), which is not followed`, retry: false };
  }
  return { ok: false, reason: `It answered with status ${status}`, retry: status >= 500 || RETRYABLE.has(status) };
}

function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === "AddressRefusedError";
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? ` (${code})` : "";
}
