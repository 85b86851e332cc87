import { Plus } from "lucide-react";
import type { Metadata } from "next";
import { FIGURE_DAYS } from "@/app/_components/tools/list/tool-order";
import { ToolsView } from "@/app/_components/tools/list/tools-view";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";
import { ButtonLink } from "@/app/_ui/button";

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
        <ButtonLink icon={Plus} needs="edit" href="/tools/new" variant="primary">
          New tool
        </ButtonLink>
      }
      loads="tools"
      skeleton="tools"
    >
      <ToolsView />
    </Page>
  );
}
