"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { toServerPath } from "@/app/_components/servers/summary/server-words";
import { draftOptions, readInput } from "@/app/_kit/form/draft-input";
import { useDraft } from "@/app/_kit/use-draft";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { EmptyState } from "@/app/_ui/empty-state";
import type { ServerDetail } from "@/lib/contract/server";
import { SERVER_FORM } from "./server-fields";
import { ServerForm } from "./server-form";

export function EditServerView({ name }: { name: string }) {
  const { data: server, refetch } = useSuspenseQuery(trpc.servers.get.queryOptions({ name }));
  // Another edit is shown beside the draft while the form is open.
  useLiveRefresh(refetch, (event) => event.type === "servers" && event.server === name);
  if (server.editable) return <EditForm server={server} />;
  return (
    <EmptyState
      heading="h2"
      title={`${server.name} is read-only here`}
      next={{ href: toServerPath(server.name), text: `Back to ${server.name}` }}
    >
      It comes from <span className="font-mono text-xs">{server.originPath}</span>. Change it there and restart
      Toolroom.
    </EmptyState>
  );
}

/** The draft is kept while the server's state changes. */
function EditForm({ server }: { server: ServerDetail }) {
  const held = useDraft(() => readInput(SERVER_FORM, server.settings), {
    ...draftOptions(SERVER_FORM),
    keptAs: `server.form.edit.${server.name}`,
    base: String(server.lastEdit?.revision ?? ""),
  });
  return <ServerForm held={held} dirty={held.dirty} editing={server.name} stored={server} />;
}
