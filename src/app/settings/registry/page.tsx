import type { Metadata } from "next";
import { RegistryView } from "@/app/_components/registry/registry-view";
import { SettingsPage } from "../settings-page";

export const metadata: Metadata = { title: "Registry · Settings" };

export default function RegistryPage() {
  return (
    <SettingsPage current="/settings/registry" loads="the registry" skeleton="settings">
      <RegistryView />
    </SettingsPage>
  );
}
