"use client";

import dynamic from "next/dynamic";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useState } from "react";
import { Alert } from "@/app/_ui/alert";
import { PageHeader } from "@/app/_ui/page-header";
import { Skeleton } from "@/app/_ui/skeleton";
import { TabList, TabPanel } from "@/app/_ui/tab-list";
import type { ServerSettingsInput } from "@/lib/contract/server";
import { draftFrom, emptyDraft } from "./server-draft";
import { ServerForm } from "./server-form";
import { serverTemplate } from "./server-templates";
import { useServerDraft } from "./use-server-draft";

const ImportView = dynamic(() => import("../import/import-view").then((module) => module.ImportView), {
  loading: () => <Skeleton className="m-4 h-60" />,
});

const TABS = ["form", "paste"] as const;
const PANEL = "flex min-h-0 flex-1 flex-col";

/** A new server, by form or by pasting what another program uses. Changing the tab loses nothing. */
export function NewServerView() {
  const [{ tab, template }, setAddress] = useQueryStates({
    tab: parseAsStringLiteral(TABS).withDefault("form"),
    template: parseAsString,
  });
  const begun = serverTemplate(template);
  const held = useServerDraft(() => (begun === null ? emptyDraft() : draftFrom(begun.settings)));
  const [pasted, setPasted] = useState("");
  const openInForm = (settings: ServerSettingsInput) => {
    held.replace(draftFrom(settings));
    void setAddress({ tab: "form", template: null });
  };
  return (
    <div className="flex h-full flex-col">
      <PageHeader title="Add server">
        <TabList
          label="Ways to add a server"
          value={tab}
          onChange={(next) => void setAddress({ tab: next })}
          tabs={[
            { value: "form", label: "Form" },
            { value: "paste", label: "Paste mcp.json" },
          ]}
        />
      </PageHeader>
      <TabPanel value="form" active={tab} label="Form" className={PANEL}>
        <ServerForm
          draft={held.draft}
          onChange={held.change}
          dirty={held.dirty || pasted !== ""}
          editing={null}
          intro={begun !== null && <Alert tone="accent" title={begun.about} />}
        />
      </TabPanel>
      <TabPanel value="paste" active={tab} label="Paste mcp.json" className={PANEL}>
        <ImportView text={pasted} onText={setPasted} onOpenInForm={openInForm} dirty={held.dirty || pasted !== ""} />
      </TabPanel>
    </div>
  );
}
