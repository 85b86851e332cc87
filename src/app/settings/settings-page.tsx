import { Page, type PageProps } from "@/app/_kit/page";
import { cx } from "@/app/_ui/class-names";
import { SettingsTabs, type SettingsTabsProps } from "./settings-tabs";

type SettingsPageProps = Pick<PageProps, "loads" | "skeleton" | "fill" | "children"> & SettingsTabsProps;

/** A page of the settings: one title, the links to its siblings, one width. */
export function SettingsPage({ current, children, ...page }: SettingsPageProps) {
  const layout = page.fill === true ? "sm:min-h-0 sm:flex-1" : "gap-4 p-4";
  return (
    <Page title="Settings" tabs={<SettingsTabs current={current} />} {...page}>
      <div className={cx("flex w-full max-w-5xl flex-col", layout)}>{children}</div>
    </Page>
  );
}
