import { Plus } from "lucide-react";
import type { Metadata } from "next";
import { FIGURE_DAYS } from "@/app/_components/tools/list/tool-order";
import { ToolsView } from "@/app/_components/tools/list/tools-view";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";
import { buttonClass } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";

export const metadata: Metadata = { title: "Tools" };

export default async function ToolsPage() {
  await prefetch(
    trpc.tools.list.queryOptions(),
    trpc.tools.favorites.queryOptions(),
    trpc.executions.toolFigures.queryOptions({ days: FIGURE_DAYS }),
  );
  return (
    <Page
      title="Tools"
      actions={
        <Link needs="edit" href="/tools/new" className={buttonClass({ variant: "primary" })}>
          <Plus aria-hidden size={15} strokeWidth={1.6} />
          New tool
        </Link>
      }
      loads="tools"
      skeleton="tools"
    >
      <ToolsView />
    </Page>
  );
}
