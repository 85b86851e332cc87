"use client";

import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchStreamLink } from "@trpc/client";
import { createTRPCContext } from "@trpc/tanstack-react-query";
import { type ReactNode, useState } from "react";
import { CONSOLE_HEADER } from "@/lib/contract/console-header";
import { plainJson } from "@/lib/json/plain-json";
import type { AppRouter } from "@/server/main/api/root";
import { makeQueryClient } from "./query-client";

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

let browserQueryClient: QueryClient | undefined;

function getQueryClient(): QueryClient {
  if (typeof window === "undefined") return makeQueryClient();
  browserQueryClient ??= makeQueryClient();
  return browserQueryClient;
}

/** Everything below may call the product's procedures. */
export function TRPCProviders({ children }: { children: ReactNode }) {
  const queryClient = getQueryClient();
  const [client] = useState(() =>
    createTRPCClient<AppRouter>({
      links: [
        // Streaming, so that a slow call in a batch does not hold back the quick ones. Live events have their own stream.
        httpBatchStreamLink({ url: "/api/trpc", transformer: plainJson, headers: { [CONSOLE_HEADER]: "1" } }),
      ],
    }),
  );
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={client} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
