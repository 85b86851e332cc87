import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { getMessage } from "@/lib/get-message";
import { assertWithinLimits } from "@/lib/json/limits";
import { MAX_BATCH } from "@/lib/max-batch";
import { createContext } from "@/server/main/api/context";
import { currentContainer } from "@/server/main/current-container";
import { currentRouter } from "@/server/main/current-router";
import { isAppError, retryHeaders } from "@/server/platform/shared/app-error";

/** The answers of a batch come one by one: a proxy that collects them would hold the quick ones back. They are compressed. */
const HEADERS = { "cache-control": "no-store", "x-accel-buffering": "no" };
/** A shorter body cannot hold so many keys and lists that checking them takes long. */
const SHORT_BODY_BYTES = 262_144;
/** Arguments, definitions and files are texts within a body: the largest have some thousand entries. */
const BODY_LIMITS = { inAll: 100_000, containers: 100_000 };

async function handle(request: Request): Promise<Response> {
  const checked = await checkBody(request);
  if (checked instanceof Response) return checked;
  return await fetchRequestHandler({
    endpoint: "/api/trpc",
    req: checked,
    router: await currentRouter(),
    maxBatchSize: MAX_BATCH,
    createContext: () => createContext({ headers: request.headers, counted: true }),
    responseMeta({ errors }) {
      const refusal = errors.map(({ cause }) => cause).find(isAppError);
      return { headers: { ...HEADERS, ...(refusal === undefined ? {} : retryHeaders(refusal)) } };
    },
    onError: async ({ error, path }) => {
      const { cause } = error;
      if (isAppError(cause)) {
        if (cause.code !== "UNAVAILABLE") return;
        const { logger } = await currentContainer();
        return logger.warn({ procedure: path, error: cause.message }, "Request refused");
      }
      if (error.code !== "INTERNAL_SERVER_ERROR") return;
      const { logger } = await currentContainer();
      logger.error({ procedure: path, stack: (error.cause ?? error).stack }, "Request failed unexpectedly");
    },
  });
}

/** Returns the request or its refusal: tRPC would parse any body. */
async function checkBody(request: Request): Promise<Request | Response> {
  const bytes = request.headers.get("content-length");
  if (request.method !== "POST" || (bytes !== null && Number(bytes) <= SHORT_BODY_BYTES)) return request;
  const { url, method, headers, signal } = request;
  const body = await request.text();
  // Decoding and counting a body of 20 MB take 100 ms each.
  await yieldTurn();
  try {
    assertWithinLimits(body, BODY_LIMITS);
  } catch (error) {
    const data = { code: "BAD_REQUEST", httpStatus: 400, problems: [] };
    return Response.json({ error: { json: { message: getMessage(error), code: -32_600, data } } }, { status: 400 });
  }
  await yieldTurn();
  if (headers.get("content-type")?.startsWith("application/json") !== true) {
    return new Request(url, { method, headers, signal, body });
  }
  // A new `Request` with this body would encode, copy and decode it again.
  const checked = new Request(url, { method, headers, signal });
  return Object.defineProperty(checked, "json", { value: () => JSON.parse(body) as unknown });
}

const yieldTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

export { handle as GET, handle as POST };
