"use client";

import { useRouter } from "next/navigation";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import type { OpenedBundle } from "@/lib/contract/execution-bundle";

const OPENED = {
  same: "The tool here is the one of the bundle.",
  different: "The tool here differs from the one of the bundle.",
  missing: "There is no such tool here: import it from the bundle, or create a mock.",
} as const satisfies Record<OpenedBundle["tool"], string>;

/** A file that holds an execution: it is opened apart from the tool or the server that came with it. */
export function BundleNotice({ text }: { text: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const open = useAction(trpc.bundles.open.mutationOptions({ gcTime: 0 }), {
    stale: [trpc.executions.pathKey()],
    done: ({ toolName, tool }) => `Opened a call of ${toolName}. ${OPENED[tool]}`,
    onDone: ({ id }) => router.push(`/executions/${id}`),
  });
  return (
    <Alert tone="accent" title="The file is the bundle of an execution">
      <p>
        Opening it records the call here, in no figure. What it needs is below: import that too if you want to replay
        the call.
      </p>
      <Button needs="run" className="mt-1.5" disabled={open.isPending} onClick={() => open.mutate({ text })}>
        {open.isPending ? "Opening…" : "Open execution"}
      </Button>
    </Alert>
  );
}
