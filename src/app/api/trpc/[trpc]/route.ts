import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { createContext } from "@/server/api/context";
import { appRouter } from "@/server/api/root";
import { currentContainer } from "@/server/composition/current-container";
import { isAppError, retryHeaders } from "@/server/shared/app-error";

function handle(request: Request): Promise<Response> {
  return fetchRequestHandler({
    endpoint: "/api/trpc",
    req: request,
    router: appRouter,
    createContext: () => createContext({ headers: request.headers, counted: true }),
    responseMeta({ errors }) {
      const refusal = errors.map(({ cause }) => cause).find(isAppError);
      return { headers: { "cache-control": "no-store", ...(refusal === undefined ? {} : retryHeaders(refusal)) } };
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

export { handle as GET, handle as POST };
