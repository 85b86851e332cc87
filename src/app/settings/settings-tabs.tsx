"use client";

import { useDenial } from "@/app/_ui/access";
import { LinkTabs } from "@/app/_ui/link-tabs";

const INSTALLATION = "This installation";

interface SettingsTab {
  href: string;
  label: string;
  group?: string;
  /** Only admins can open it. */
  isForAdmins?: true;
}

const PAGES = [
  { href: "/settings", label: "General" },
  { href: "/settings/account", label: "Account" },
  { href: "/settings/models", label: "Models", group: INSTALLATION },
  { href: "/settings/people", label: "People", group: INSTALLATION, isForAdmins: true },
  { href: "/settings/sharing", label: "Import and export", group: INSTALLATION },
  { href: "/settings/audit", label: "Audit log", group: INSTALLATION, isForAdmins: true },
  { href: "/settings/storage", label: "Storage", group: INSTALLATION, isForAdmins: true },
  { href: "/settings/alerts", label: "Alerts", group: INSTALLATION },
  { href: "/settings/webhooks", label: "Webhooks", group: INSTALLATION, isForAdmins: true },
] as const satisfies readonly SettingsTab[];

export interface SettingsTabsProps {
  current: (typeof PAGES)[number]["href"];
}

export function SettingsTabs({ current }: SettingsTabsProps) {
  const isAdmin = useDenial("administer") === null;
  const shown = PAGES.filter((page) => isAdmin || !("isForAdmins" in page) || page.href === current);
  return <LinkTabs label="Settings" pages={shown} current={current} />;
}
