"use client";

import { LinkTabs } from "@/app/_ui/link-tabs";

const PAGES = [
  { href: "/settings", label: "General" },
  { href: "/settings/models", label: "Models" },
  { href: "/settings/sharing", label: "Import and export" },
  { href: "/settings/people", label: "People" },
  { href: "/settings/audit", label: "Audit log" },
  { href: "/settings/storage", label: "Storage" },
  { href: "/settings/alerts", label: "Alerts" },
  { href: "/settings/webhooks", label: "Webhooks" },
  { href: "/settings/account", label: "Account" },
] as const;

export interface SettingsTabsProps {
  current: (typeof PAGES)[number]["href"];
}

export function SettingsTabs({ current }: SettingsTabsProps) {
  return <LinkTabs label="Settings" pages={PAGES} current={current} />;
}
