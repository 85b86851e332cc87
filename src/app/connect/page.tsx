import { MonitorSmartphone } from "lucide-react";
import type { Metadata } from "next";
import { ConnectView } from "@/app/_components/servers/connect/connect-view";
import { Page } from "@/app/_kit/page";
import { ButtonLink } from "@/app/_ui/button";

export const metadata: Metadata = { title: "Connect a client" };

export default function ConnectPage() {
  return (
    <Page
      title="Connect a client"
      actions={
        <ButtonLink icon={MonitorSmartphone} href="/clients">
          Clients
        </ButtonLink>
      }
      loads="the configurations"
      skeleton="servers"
    >
      <ConnectView />
    </Page>
  );
}
