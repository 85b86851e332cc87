import { Plus } from "lucide-react";
import type { Metadata } from "next";
import { ToolsetsView } from "@/app/_components/toolsets/list/toolsets-view";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";
import { ButtonLink } from "@/app/_ui/button";

export const metadata: Metadata = { title: "Toolsets" };

export default async function ToolsetsPage() {
  await prefetch(trpc.toolsets.list.queryOptions());
  return (
    <Page
      title="Toolsets"
      actions={
        <ButtonLink icon={Plus} needs="edit" href="/toolsets/new" variant="primary">
          New toolset
        </ButtonLink>
      }
      loads="toolsets"
      skeleton="toolsets"
    >
      <ToolsetsView />
    </Page>
  );
}
