import type { Metadata } from "next";
import { NewServerView } from "@/app/_components/servers/form/new-server-view";
import { Page } from "@/app/_kit/page";

export const metadata: Metadata = { title: "Add server · Servers" };

/** `?tab=paste` takes a whole mcp.json, `?template=` starts from a sample. */
export default function NewServerPage() {
  return (
    <Page loads="the form" skeleton="serverForm">
      <NewServerView />
    </Page>
  );
}
