"use client";

import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { type ClipboardEvent, useState } from "react";
import { draftOptions, readInput } from "@/app/_kit/form/draft-input";
import { useDraft } from "@/app/_kit/use-draft";
import { Alert } from "@/app/_ui/alert";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { PageHeader } from "@/app/_ui/page-header";
import { Skeleton } from "@/app/_ui/skeleton";
import { TabList, TabPanel } from "@/app/_ui/tab-list";
import type { ServerSettingsInput } from "@/lib/contract/server";
import { SERVER_FORM, type ServerDraft } from "./server-fields";
import { ServerForm } from "./server-form";

const ImportView = onDemand(() => import("../import/import-view"), "ImportView", {
  fallback: <Skeleton className="m-4 h-60" />,
  onServer: true,
});

const TABS = ["form", "paste"] as const;
const PANEL = "flex min-h-0 flex-1 flex-col";
/** The key under which clients' files list their servers, in JSON, YAML or TOML. */
const NAMES_SERVERS = /\b(?:mcpServers|mcp_servers|context_servers|mcp\.servers)\b["']?\s*(?:[:=.\]]|$)/m;

interface NewServerDraft extends ServerDraft {
  enabled: boolean;
}

/** A new server, by form or by import from another client. Switching the tab keeps what was typed. */
export function NewServerView() {
  const [{ tab, template }, setAddress] = useQueryStates({
    tab: parseAsStringLiteral(TABS).withDefault("form"),
    template: parseAsString,
  });
  const begun = serverTemplate(template);
  // A server that is switched off in the imported text stays switched off, regardless of changes in the form.
  const held = useDraft<NewServerDraft>(() => ({ ...readInput(SERVER_FORM, begun?.settings), enabled: true }), {
    ...draftOptions(SERVER_FORM),
    keptAs: begun === null ? "server.form" : `server.form.${template}`,
  });
  const [pasted, setPasted] = useState("");
  const [shown, setShown] = useState(template);
  if (shown !== template) {
    setShown(template);
    if (begun !== null) held.replace({ ...readInput(SERVER_FORM, begun.settings), enabled: true });
  }
  const openInForm = (settings: ServerSettingsInput, enabled: boolean) => {
    held.replace({ ...readInput(SERVER_FORM, settings), enabled });
    void setAddress({ tab: "form", template: null });
  };
  /** Reads pasted text before the focused field receives it. */
  function openPastedServers(event: ClipboardEvent) {
    const text = event.clipboardData.getData("text");
    if (tab === "paste" || !NAMES_SERVERS.test(text)) return;
    event.preventDefault();
    event.stopPropagation();
    setPasted(text);
    void setAddress({ tab: "paste" });
  }
  return (
    <div className="flex h-full flex-col" onPasteCapture={openPastedServers}>
      <PageHeader title="Add server">
        <TabList
          label="Ways to add a server"
          value={tab}
          onChange={(next) => void setAddress({ tab: next })}
          tabs={[
            { value: "form", label: "Form" },
            { value: "paste", label: "Import" },
          ]}
        />
      </PageHeader>
      <TabPanel value="form" active={tab} label="Form" className={PANEL}>
        <ServerForm
          held={held}
          dirty={held.dirty || pasted !== ""}
          editing={null}
          enabled={held.draft.enabled}
          intro={begun === null ? held.dirty || <SampleOffer /> : <Alert tone="accent" title={begun.about} />}
        />
      </TabPanel>
      <TabPanel value="paste" active={tab} label="Import" className={PANEL}>
        <ImportView text={pasted} onText={setPasted} onOpenInForm={openInForm} dirty={held.dirty || pasted !== ""} />
      </TabPanel>
    </div>
  );
}

/** The way to the sample, for who has no server at hand. */
function SampleOffer() {
  return (
    <p className="text-mute">
      No server at hand?{" "}
      <Link href="/servers/new?template=zwave" className="rounded-xs text-text underline underline-offset-2">
        Start with the sample: a smart home over Z-Wave
      </Link>
      , which needs no hardware.
    </p>
  );
}

/** Settings to begin with, by the `template` of the address. */
const TEMPLATES = new Map<string, { settings: ServerSettingsInput; about: string }>([
  [
    "zwave",
    {
      settings: {
        name: "zwave",
        title: "Z-Wave sample",
        transport: "stdio",
        command: "node",
        args: ["examples/zwave-mcp-server/start.mjs"],
      },
      about:
        "The sample server that comes with Toolroom: a smart home whose devices can be listed and switched. Add it as it is.",
    },
  ],
]);

function serverTemplate(name: string | null): { settings: ServerSettingsInput; about: string } | null {
  return name === null ? null : (TEMPLATES.get(name) ?? null);
}
