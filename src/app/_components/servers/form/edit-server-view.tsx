"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import Link from "next/link";
import { serverPath } from "@/app/_components/servers/server-words";
import { useTRPC } from "@/app/_trpc/client";
import { buttonClass } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import type { ServerDetail } from "@/lib/contract/server";
import { draftFrom } from "./server-draft";
import { ServerForm } from "./server-form";
import { useServerDraft } from "./use-server-draft";

export function EditServerView({ name }: { name: string }) {
  const trpc = useTRPC();
  const { data: server } = useSuspenseQuery(trpc.servers.get.queryOptions({ name }));
  if (server.editable) return <EditForm server={server} />;
  return (
    <EmptyState
      heading="h2"
      title={`${server.name} is not kept here`}
      action={
        <Link href={serverPath(server.name)} className={buttonClass({ variant: "primary" })}>
          Back to {server.name}
        </Link>
      }
    >
      It comes from <span className="font-mono text-xs">{server.originPath}</span>: change it there and restart
      Toolroom.
    </EmptyState>
  );
}

/** The form keeps what was typed while the server's state goes on changing beneath it. */
function EditForm({ server }: { server: ServerDetail }) {
  const held = useServerDraft(() => draftFrom(server.settings));
  return <ServerForm draft={held.draft} onChange={held.change} dirty={held.dirty} editing={server.name} />;
}
