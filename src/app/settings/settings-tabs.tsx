"use client";

import { useDenial } from "@/app/_ui/access";
import { LinkTabs } from "@/app/_ui/link-tabs";

const YOU = "You";
const INSTALLATION = "This installation";

interface SettingsTab {
  href: string;
  label: string;
  group: string;
  /** Only admins can open the tab. */
  isForAdmins?: true;
}

const PAGES = [
  { href: "/settings", label: "Appearance", group: YOU },
  { href: "/settings/account", label: "Account", group: YOU },
  { href: "/settings/installation", label: "General", group: INSTALLATION },
  { href: "/settings/models", label: "Models", group: INSTALLATION },
  { href: "/settings/people", label: "People", group: INSTALLATION, isForAdmins: true },
  { href: "/settings/sharing", label: "Import and export", group: INSTALLATION },
  { href: "/settings/audit", label: "Audit log", group: INSTALLATION, isForAdmins: true },
  { href: "/settings/storage", label: "Storage", group: INSTALLATION, isForAdmins: true },
  { href: "/settings/webhooks", label: "Webhooks", group: INSTALLATION, isForAdmins: true },
  { href: "/settings/registry", label: "Registry", group: INSTALLATION },
] as const satisfies readonly SettingsTab[];

export interface SettingsTabsProps {
  current: (typeof PAGES)[number]["href"];
}

export function SettingsTabs({ current }: SettingsTabsProps) {
  const isAdmin = useDenial("administer") === null;
  const shown = PAGES.filter((page) => isAdmin || !("isForAdmins" in page) || page.href === current);
  return <LinkTabs label="Settings" pages={shown} current={current} />;
}
