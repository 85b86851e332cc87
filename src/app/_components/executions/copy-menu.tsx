"use client";

import { ChevronDown } from "lucide-react";
import { Button } from "@/app/_ui/button";
import { Menu } from "@/app/_ui/menu";
import { useToast } from "@/app/_ui/toast";
import type { ExecutionDetail } from "@/lib/contract";
import { asCurl, asJson, asMcpCall } from "./copy-formats";

/** Takes the call elsewhere. */
export function CopyMenu({ execution }: { execution: ExecutionDetail }) {
  const toast = useToast();

  async function copy(what: string, text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      toast({ title: `Copied ${what}`, tone: "ok" });
    } catch {
      toast({ title: "The browser refused to copy", tone: "bad" });
    }
  }

  return (
    <Menu
      trigger={
        <Button>
          Copy
          <ChevronDown aria-hidden size={13} strokeWidth={1.6} />
        </Button>
      }
      items={[
        { label: "Copy as JSON", onSelect: () => void copy("as JSON", asJson(execution)) },
        { label: "Copy as curl", onSelect: () => void copy("as curl", asCurl(execution, window.location.origin)) },
        { label: "Copy as MCP call", onSelect: () => void copy("as MCP call", asMcpCall(execution)) },
        {
          label: "Copy link",
          onSelect: () => void copy("the link", `${window.location.origin}/executions/${execution.id}`),
        },
      ]}
    />
  );
}
