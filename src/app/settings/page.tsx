import type { Metadata } from "next";
import { AppearanceView } from "./appearance-view";
import { SettingsPage } from "./settings-page";

export const metadata: Metadata = { title: "Appearance · Settings" };

export default function AppearancePage() {
  return (
    <SettingsPage current="/settings" loads="settings" skeleton="settings">
      <AppearanceView />
    </SettingsPage>
  );
}
