import type { Metadata } from "next";
import { ConnectView } from "@/app/_components/servers/connect/connect-view";
import { Page } from "@/app/_kit/page";

export const metadata: Metadata = { title: "Connect a client" };

export default function ConnectPage() {
  return (
    <Page title="Connect a client" loads="the configurations" skeleton="servers">
      <ConnectView />
    </Page>
  );
}
