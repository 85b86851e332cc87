"use client";

import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import { useToast } from "@/app/_ui/toast";
import { useRefreshServers } from "./use-live-servers";

/** Whether a browser may be sent there: a server names the address, so anything but a page is refused. */
function isPageAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** Sends the person to where the server wants them to sign in; they come back to the server's page. */
export function useSignIn(setProblem: (problem: string | null) => void): {
  start: (name: string) => void;
  pendingName: string | null;
} {
  const trpc = useTRPC();
  const toast = useToast();
  const refresh = useRefreshServers();
  const begin = useMutation(
    trpc.servers.startSignIn.mutationOptions({
      onMutate: () => setProblem(null),
      onSuccess: ({ url }, { name }) => {
        if (url === null) toast({ title: `${name} needed no sign-in`, tone: "ok" });
        else if (isPageAddress(url)) window.location.assign(url);
        else setProblem(`${name} names a sign-in address that is no web page: ${url.slice(0, 200)}`);
      },
      onError: (error, { name }) => setProblem(`Signing in to ${name} could not be started: ${error.message}`),
      onSettled: refresh,
    }),
  );
  return {
    start: (name) => begin.mutate({ name, origin: window.location.origin }),
    pendingName: begin.isPending ? (begin.variables?.name ?? null) : null,
  };
}
