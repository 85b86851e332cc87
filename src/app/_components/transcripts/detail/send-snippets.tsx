"use client";

import { useState } from "react";
import { CopyButton } from "@/app/_ui/copy-button";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import { Segmented } from "@/app/_ui/segmented";
import { ShellChoice, useShell } from "@/app/_ui/shell-choice";
import { getConsoleAddress } from "@/lib/base-path";
import { quoteForPowerShell, toAsciiJson } from "@/lib/quote-for-powershell";
import { quoteForShell } from "@/lib/quote-for-shell";
import type { Shell } from "@/lib/shell-line";

/** How a program sends what is said, with this server's address. Only in the browser, which knows it. */
export function SendSnippets({ id, wakePhrase }: { id: string; wakePhrase: string }) {
  const shell = useShell();
  const snippets = sendSnippets(getConsoleAddress(), { id, wakePhrase }, shell);
  const [way, setWay] = useState(snippets[0]?.way ?? "");
  const shown = snippets.find((snippet) => snippet.way === way);
  if (shown === undefined) return null;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-x-4 gap-y-2">
        <Segmented
          label="Command"
          value={way}
          options={snippets.map((snippet) => ({ value: snippet.way, label: snippet.label }))}
          onChange={setWay}
        />
        <ShellChoice />
      </div>
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
export function sendSnippets(
  origin: string,
  { id, wakePhrase }: { id: string; wakePhrase: string },
  shell: Shell,
): SendSnippet[] {
  const segment = { text: `${wakePhrase}, what is 2 + 2?`, speaker: "Ana", atMs: 1200 };
  const commands = (shell === "powershell" ? toPowerShell : toPosix)({
    append: `${origin}/api/trpc/transcripts.append`,
    answers: `${origin}/api/trpc/transcripts.answers`,
    id,
    // The API's envelope.
    body: JSON.stringify({ json: { id, segments: [segment] } }),
    input: JSON.stringify({ json: { id, lastEventId: "0" } }),
  });
  return [
    {
      way: "curl",
      label: "Send",
      note: "One or more segments in a request; speaker and atMs (milliseconds from the beginning) are optional.",
      text: commands.send,
    },
    {
      way: "file",
      label: "Follow a file",
      note: `Sends each line that another program appends to a file.${shell === "posix" ? " Needs jq." : ""}`,
      text: commands.follow,
    },
    {
      way: "answers",
      label: "Receive answers",
      note: "Answers as server-sent events: the earlier ones first, then each new one.",
      text: commands.receive,
    },
  ];
}

/** What the commands of each shell send, and where. */
interface Sent {
  append: string;
  answers: string;
  id: string;
  body: string;
  input: string;
}

type Commands = Record<"send" | "follow" | "receive", string>;

function toPosix({ append, answers, id, body, input }: Sent): Commands {
  const send = `curl -sS ${append} -H 'content-type: application/json'`;
  return {
    send: `${send} -d ${quoteForShell(body)}`,
    follow: [
      "tail -n +1 -F talk.txt",
      `jq --unbuffered -Rc '{json: {id: "${id}", segments: [{text: .}]}}'`,
      `while IFS= read -r body; do ${send} -d "$body"; done`,
    ].join(" |\n  "),
    receive: `curl -sSNG ${answers} --data-urlencode ${quoteForShell(`input=${input}`)}`,
  };
}

/** Words with double quotes reach no program from Windows PowerShell, which also sends ASCII alone to one. */
function toPowerShell({ append, answers, id, body, input }: Sent): Commands {
  const type = "-H 'content-type: application/json'";
  return {
    send: `${quoteForPowerShell(toAsciiJson(body))} | curl.exe -sS ${quoteForPowerShell(append)} ${type} --data-binary '@-'`,
    follow: [
      "Get-Content talk.txt -Encoding UTF8 -Wait | ForEach-Object {",
      `  $json = @{ json = @{ id = ${quoteForPowerShell(id)}; segments = @(@{ text = "$_" }) } } | ConvertTo-Json -Compress -Depth 5`,
      `  Invoke-RestMethod -Method Post -Uri ${quoteForPowerShell(append)} -ContentType 'application/json' -Body ([Text.Encoding]::UTF8.GetBytes($json))`,
      "}",
    ].join("\n"),
    receive: `curl.exe -sSN ${quoteForPowerShell(`${answers}?input=${encodeURIComponent(input)}`)}`,
  };
}
