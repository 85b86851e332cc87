"use client";

import { Plug, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { Button, ButtonLink } from "@/app/_ui/button";
import { onDemand } from "@/app/_ui/on-demand";
import type { Toolset } from "@/lib/contract/toolset";

const ConfirmAction = onDemand(() => import("@/app/_kit/confirm-dialog").then((module) => module.ConfirmAction));

/** The actions on a toolset as it is saved. */
export function ToolsetActions({ name, lastEdit }: Pick<Toolset, "name" | "lastEdit">) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const [isDeleting, setDeleting] = useState(false);

  return (
    <>
      <ButtonLink needs="run" href={`/playground?set=${encodeURIComponent(name)}`}>
        Playground
      </ButtonLink>
      <ButtonLink href={`/executions?toolset=${encodeURIComponent(name)}`}>Executions</ButtonLink>
      <ButtonLink icon={Plug} href={`/connect?toolset=${encodeURIComponent(name)}`}>
        Connect a client
      </ButtonLink>
      <Button icon={Trash2} needs="edit" onClick={() => setDeleting(true)}>
        Delete
      </Button>
      {isDeleting && (
        <ConfirmAction
          title={`Delete ${name}?`}
          description="Clients that use its address lose their tools. The tools themselves and recorded executions are kept."
          action="Delete"
          running="Deleting…"
          needs="edit"
          failure="Couldn't delete"
          run={() => client.toolsets.delete.mutate({ name, revision: lastEdit?.revision })}
          stale={[trpc.toolsets.list.queryKey(), trpc.toolsets.get.queryKey({ name })]}
          done={() => `${name} deleted`}
          onDone={() => router.push("/toolsets")}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}
