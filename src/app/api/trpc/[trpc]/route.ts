import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { createContext } from "@/server/api/context";
import { appRouter } from "@/server/api/root";
import { isAppError } from "@/server/app-error";
import { currentContainer } from "@/server/current-container";

function handle(request: Request): Promise<Response> {
  return fetchRequestHandler({
    endpoint: "/api/trpc",
    req: request,
    router: appRouter,
    createContext: () => createContext({ headers: request.headers }),
    onError: async ({ error, path }) => {
      if (error.code !== "INTERNAL_SERVER_ERROR" || isAppError(error.cause)) return;
      const { logger } = await currentContainer();
      logger.error({ procedure: path, stack: (error.cause ?? error).stack }, "Request failed unexpectedly");
    },
  });
}

export { handle as GET, handle as POST };
