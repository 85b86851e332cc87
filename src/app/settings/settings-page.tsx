import { Page, type PageProps } from "@/app/_kit/page";
import { cx } from "@/app/_ui/class-names";
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

interface SettingsPageProps extends Pick<PageProps, "loads" | "skeleton" | "fill" | "children"> {
  current: (typeof PAGES)[number]["href"];
}

/** A page of the settings: one title, the links to its siblings, one width. */
export function SettingsPage({ current, children, ...page }: SettingsPageProps) {
  const layout = page.fill === true ? "sm:min-h-0 sm:flex-1" : "gap-4 p-4";
  return (
    <Page title="Settings" tabs={<SettingsTabs current={current} />} {...page}>
      <div className={cx("flex w-full max-w-5xl flex-col", layout)}>{children}</div>
    </Page>
  );
}

/** The pages of the settings: links that look like tabs, since each has its own address. */
function SettingsTabs({ current }: Pick<SettingsPageProps, "current">) {
  return (
    <nav aria-label="Settings" className="border-line border-b">
      <ul className="flex gap-4.5 overflow-x-auto px-4">
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
