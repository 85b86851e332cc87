import { Plug, Plus } from "lucide-react";
import type { Metadata } from "next";
import { ServersView } from "@/app/_components/servers/list/servers-view";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";
import { buttonClass } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";

export const metadata: Metadata = { title: "Servers" };

export default async function ServersPage() {
  await prefetch(trpc.servers.list.queryOptions());
  return (
    <Page
      title="Servers"
      actions={
        <>
          <Link href="/servers?connect=1" scroll={false} className={buttonClass()}>
            <Plug aria-hidden size={15} strokeWidth={1.6} />
            Connect a client
          </Link>
          <Link needs="edit" href="/servers/new" className={buttonClass({ variant: "primary" })}>
            <Plus aria-hidden size={15} strokeWidth={1.6} />
            Add server
          </Link>
        </>
      }
      loads="servers"
      skeleton="servers"
    >
      <ServersView />
    </Page>
  );
}
