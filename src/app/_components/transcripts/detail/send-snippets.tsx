"use client";

import { useState } from "react";
import { CopyButton } from "@/app/_ui/copy-button";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import { Segmented } from "@/app/_ui/segmented";
import { quoteForShell } from "@/lib/quote-for-shell";

/** How a program sends what is said, with this server's address. Only in the browser, which knows it. */
export function SendSnippets({ id, wakePhrase }: { id: string; wakePhrase: string }) {
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

interface SendSnippet {
  way: string;
  label: string;
  note: string;
  text: string;
}

/** `origin` is this server's, such as `http://127.0.0.1:3000`. */
export function sendSnippets(origin: string, { id, wakePhrase }: { id: string; wakePhrase: string }): SendSnippet[] {
  const segment = { text: `${wakePhrase}, what is 2 + 2?`, speaker: "Ana", atMs: 1200 };
  // The API's envelope.
  const body = JSON.stringify({ json: { id, segments: [segment] } });
  const answers = `input=${JSON.stringify({ json: { id, lastEventId: "0" } })}`;
  const send = `curl -sS ${origin}/api/trpc/transcripts.append -H 'content-type: application/json'`;
  return [
    {
      way: "curl",
      label: "Send",
      note: "One or more segments in a request; speaker and atMs (milliseconds from the beginning) are optional.",
      text: `${send} -d ${quoteForShell(body)}`,
    },
    {
      way: "file",
      label: "Follow a file",
      note: "Sends each line that another program appends to a file. Needs jq.",
      text: [
        "tail -n +1 -F talk.txt",
        `jq --unbuffered -Rc '{json: {id: "${id}", segments: [{text: .}]}}'`,
        `while IFS= read -r body; do ${send} -d "$body"; done`,
      ].join(" |\n  "),
    },
    {
      way: "answers",
      label: "Receive answers",
      note: "Answers as server-sent events: the earlier ones first, then each new one.",
      text: `curl -sSNG ${origin}/api/trpc/transcripts.answers --data-urlencode ${quoteForShell(answers)}`,
    },
  ];
}
