import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { SERVER_QUERIES } from "./use-live-servers";

/** Whether a browser may be sent there: a server names the address, so anything but a page is refused. */
function isPageAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** Sends the user to where the server wants them to sign in. */
export function useSignIn(setProblem: (problem: string | null) => void): {
  /** `returnTo` is the page to come back to, where that is not the server's. */
  start: (name: string, returnTo?: string) => void;
  pendingName: string | null;
} {
  const begin = useAction(trpc.servers.startSignIn, {
    stale: SERVER_QUERIES,
    failed: ({ name }) => `Could not start the sign-in to ${name}`,
    report: setProblem,
    done: ({ url }, { name }) => (url === null ? `${name} requires no sign-in` : null),
    onDone: ({ url }, { name }) => {
      if (url === null) return;
      if (isPageAddress(url)) window.location.assign(url);
      else setProblem(`${name} returned a sign-in address that is not a web page: ${url.slice(0, 200)}`);
    },
  });
  return {
    start: (name, returnTo) =>
      begin.mutate({ name, origin: window.location.origin, ...(returnTo === undefined ? {} : { returnTo }) }),
    pendingName: begin.isPending ? (begin.variables?.name ?? null) : null,
  };
}
