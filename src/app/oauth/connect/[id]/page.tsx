import type { Metadata } from "next";
import { ConnectAccount } from "@/app/_components/servers/detail/connect-account";
import { Page } from "@/app/_kit/page";

export const metadata: Metadata = { title: "Connect your account", referrer: "no-referrer" };

/** Where an MCP client sends the user of a call that waits for their own account. */
export default async function ConnectPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <Page title="Connect your account" loads="the link" skeleton="server">
      <ConnectAccount id={id} />
    </Page>
  );
}
