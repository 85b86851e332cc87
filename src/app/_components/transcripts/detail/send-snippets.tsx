"use client";

import { useState } from "react";
import { CopyButton } from "@/app/_ui/copy-button";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import { Segmented } from "@/app/_ui/segmented";
import { sendSnippets } from "./send-snippet-texts";

export interface SendSnippetsProps {
  id: string;
  wakePhrase: string;
}

/** How a program sends what is said, with this server's address. Only in the browser, which knows it. */
export function SendSnippets({ id, wakePhrase }: SendSnippetsProps) {
  const snippets = sendSnippets(window.location.origin, { id, wakePhrase });
  const [way, setWay] = useState(snippets[0]?.way ?? "");
  const shown = snippets.find((snippet) => snippet.way === way);
  if (shown === undefined) return null;
  return (
    <div className="flex flex-col gap-2">
      <Segmented
        label="Command"
        value={way}
        options={snippets.map((snippet) => ({ value: snippet.way, label: snippet.label }))}
        onChange={setWay}
        className="self-start"
      />
      <p className="text-mute text-xs">{shown.note}</p>
      <div className="flex items-start rounded-lg border border-line bg-bg">
        <ScrollRegion label={shown.label} className="min-w-0 flex-1 p-3">
          <pre className="whitespace-pre-wrap font-mono text-xs leading-5 [overflow-wrap:anywhere]">{shown.text}</pre>
        </ScrollRegion>
        <CopyButton text={shown.text} label={`Copy: ${shown.label}`} />
      </div>
    </div>
  );
}
