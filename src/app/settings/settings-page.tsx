import { Page, type PageProps } from "@/app/_kit/page";
import { PageBody } from "@/app/_ui/page-body";
import { SettingsTabs, type SettingsTabsProps } from "./settings-tabs";

type SettingsPageProps = Pick<PageProps, "loads" | "skeleton" | "fill" | "children"> & SettingsTabsProps;

/** A page of the settings: one title and the links to its siblings. */
export function SettingsPage({ current, children, ...page }: SettingsPageProps) {
  return (
    <Page title="Settings" tabs={<SettingsTabs current={current} />} {...page}>
      {page.fill ? (
        <div className="flex flex-col sm:min-h-0 sm:flex-1">{children}</div>
      ) : (
        <PageBody>{children}</PageBody>
      )}
    </Page>
  );
}
