"use client";

import { Link } from "@/app/_ui/link";

const PAGES = [
  { href: "/settings", label: "General" },
  { href: "/settings/models", label: "Models" },
  { href: "/settings/sharing", label: "Import and export" },
  { href: "/settings/people", label: "People" },
  { href: "/settings/audit", label: "Audit log" },
  { href: "/settings/storage", label: "Storage" },
  { href: "/settings/webhooks", label: "Webhooks" },
  { href: "/settings/jobs", label: "Jobs" },
  { href: "/settings/account", label: "Account" },
] as const;

export interface SettingsTabsProps {
  current: (typeof PAGES)[number]["href"];
}

/** On a phone the list is wider than the window. */
function showCurrent(list: HTMLUListElement | null): void {
  list?.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest", inline: "center" });
}

/** The pages of the settings: links that look like tabs, since each has its own address. */
export function SettingsTabs({ current }: SettingsTabsProps) {
  return (
    <nav aria-label="Settings" className="border-line border-b">
      <ul ref={showCurrent} className="flex gap-4.5 overflow-x-auto px-4">
        {PAGES.map(({ href, label }) => (
          <li key={href}>
            <Link
              href={href}
              aria-current={href === current ? "page" : undefined}
              className="-outline-offset-2 block whitespace-nowrap border-transparent border-b-2 pt-2 pb-2 text-mute max-sm:py-2.5 text-sm hover:text-text aria-[current=page]:border-text aria-[current=page]:font-medium aria-[current=page]:text-text"
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
