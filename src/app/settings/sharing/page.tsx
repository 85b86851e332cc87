import type { Metadata } from "next";
import { SharingView } from "@/app/_components/sharing/sharing-view";
import { SettingsPage } from "../settings-page";

export const metadata: Metadata = { title: "Import and export · Settings" };

export default function SharingPage() {
  return (
    <SettingsPage current="/settings/sharing" loads="the catalog" skeleton="settings">
      <SharingView />
    </SettingsPage>
  );
}
