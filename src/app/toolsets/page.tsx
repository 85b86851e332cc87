import { Plus } from "lucide-react";
import type { Metadata } from "next";
import { ToolsetsView } from "@/app/_components/toolsets/list/toolsets-view";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";
import { buttonClass } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";

export const metadata: Metadata = { title: "Toolsets" };

export default async function ToolsetsPage() {
  await prefetch(trpc.toolsets.list.queryOptions());
  return (
    <Page
      title="Toolsets"
      actions={
        <Link needs="edit" href="/toolsets/new" className={buttonClass({ variant: "primary" })}>
          <Plus aria-hidden size={15} strokeWidth={1.6} />
          New toolset
        </Link>
      }
      loads="toolsets"
      skeleton="toolsets"
    >
      <ToolsetsView />
    </Page>
  );
}
