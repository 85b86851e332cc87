"use client";

import { Plug, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { Button, buttonClass } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
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
      <Link needs="run" href={`/playground?set=${encodeURIComponent(name)}`} className={buttonClass()}>
        Playground
      </Link>
      <Link href={`/executions?toolset=${encodeURIComponent(name)}`} className={buttonClass()}>
        Executions
      </Link>
      <Link href={`/connect?toolset=${encodeURIComponent(name)}`} className={buttonClass()}>
        <Plug aria-hidden size={15} strokeWidth={1.6} />
        Connect a client
      </Link>
      <Button needs="edit" onClick={() => setDeleting(true)}>
        <Trash2 aria-hidden size={15} strokeWidth={1.6} />
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
