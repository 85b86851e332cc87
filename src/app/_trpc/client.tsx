"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchStreamLink, TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import type { ReactNode } from "react";
import { fetchOwn, findForeignAnswer } from "@/app/_ui/foreign-answer";
import { isAwayStatus, reportNoAnswer } from "@/app/_ui/server-reach";
import { toAddress } from "@/lib/base-path";
import { CONSOLE_HEADER } from "@/lib/contract/console-header";
import { plainJson } from "@/lib/json/number-digits";
import { MAX_BATCH } from "@/lib/max-batch";
import type { AppRouter } from "@/server/main/api/root";
import { makeQueryClient } from "./query-client";

let browserQueryClient: QueryClient | undefined;

function getQueryClient(): QueryClient {
  if (typeof window === "undefined") return makeQueryClient();
  browserQueryClient ??= makeQueryClient();
  return browserQueryClient;
}

const NO_ANSWER = {
  query: "The server did not answer.",
  mutation: "The server did not answer, so this may not have been done. Try again once it is back.",
  subscription: "",
};

/** Says in words that a request was not answered: the browser says "Failed to fetch" or less. */
const explainNoAnswer: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) =>
    observable((observer) =>
      next(op).subscribe({
        next: (value) => observer.next(value),
        complete: () => observer.complete(),
        error: (error) => {
          const foreign = findForeignAnswer(error);
          if (foreign !== null) {
            if (isAwayStatus(foreign.status)) reportNoAnswer();
            return observer.error(error);
          }
          const { status } = (error.meta?.response ?? {}) as { status?: number };
          const answered = Boolean(error.data) || (status !== undefined && status >= 400 && !isAwayStatus(status));
          if (answered || op.signal?.aborted) return observer.error(error);
          reportNoAnswer();
          observer.error(TRPCClientError.from(new Error(NO_ANSWER[op.type])));
        },
      }),
    );

/** Calls the product's procedures. It holds nothing of a user, so that the server's renderings can share it. */
export const client = createTRPCClient<AppRouter>({
  links: [
    explainNoAnswer,
    // Streaming, so that a slow call in a batch does not hold back the quick ones. Live events have their own stream.
    httpBatchStreamLink({
      url: toAddress("/api/trpc"),
      fetch: (url, init) => fetchOwn(url as string, init as RequestInit),
      transformer: plainJson,
      headers: { [CONSOLE_HEADER]: "1" },
      maxItems: MAX_BATCH,
    }),
  ],
});

/** Keys and options of the procedures. Its query client has only defaults: what was read is in that of the provider. */
export const trpc = createTRPCOptionsProxy<AppRouter>({ client, queryClient: new QueryClient() });

export function TRPCProviders({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={getQueryClient()}>{children}</QueryClientProvider>;
}
