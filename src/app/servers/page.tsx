import { Plus } from "lucide-react";
import type { Metadata } from "next";
import { ServersView } from "@/app/_components/servers/list/servers-view";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";
import { ButtonLink } from "@/app/_ui/button";
import { FIGURE_DAYS } from "@/lib/contract/tool-filter";

export const metadata: Metadata = { title: "Servers" };

export default async function ServersPage() {
  await prefetch(trpc.servers.list.queryOptions(), trpc.executions.serverFigures.queryOptions({ days: FIGURE_DAYS }));
  return (
    <Page
      title="Servers"
      actions={
        <ButtonLink icon={Plus} needs="edit" href="/servers/new" variant="primary">
          Add server
        </ButtonLink>
      }
      loads="servers"
      skeleton="servers"
    >
      <ServersView />
    </Page>
  );
}
