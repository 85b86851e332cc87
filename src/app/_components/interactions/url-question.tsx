"use client";

import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { parseWebAddress } from "@/app/_components/content/markdown/web-address";
import { Alert } from "@/app/_ui/alert";
import { Button, buttonClass } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { RefusalButtons } from "./refusal-buttons";
import type { Answering } from "./use-answer";

/** An address that a server wants opened. Nothing is opened or fetched before the person does it. */
export function UrlQuestion({ server, url, answering }: { server: string; url: string; answering: Answering }) {
  const [opened, setOpened] = useState(false);
  const address = parseWebAddress(url);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 gap-y-1">
        {address !== null && (
          <>
            <dt className="text-mute text-xs">Host</dt>
            <dd className="font-medium font-mono text-base [overflow-wrap:anywhere]">{address.host}</dd>
          </>
        )}
        <dt className="text-mute text-xs">URL</dt>
        <dd className="flex min-w-0 items-start gap-1">
          <span className="min-w-0 font-mono text-xs leading-7 [overflow-wrap:anywhere]">{url}</span>
          <CopyButton text={url} label="Copy URL" />
        </dd>
      </dl>
      {address === null && (
        <Alert tone="bad" title="Not a web URL">
          Only http:// and https:// URLs can be opened here.
        </Alert>
      )}
      {address?.hasCredentials && (
        <Alert tone="warn" title="This URL looks like another host">
          The part before “@” is a user name. The URL opens {address.host}.
        </Alert>
      )}
      {address !== null && !address.encrypted && (
        <p className="text-warn text-xs">Not encrypted: others on the network can read what you enter there.</p>
      )}
      <p className="text-mute text-xs">
        <span className="font-mono">{server}</span> sent this URL. Toolroom does not see what you enter there. Check the
        host first.
      </p>
      <div className="flex flex-wrap items-center gap-2">
        {address !== null && (
          <>
            <a
              href={address.href}
              target="_blank"
              rel="noopener noreferrer"
              onClick={() => setOpened(true)}
              className={buttonClass(opened ? {} : { variant: "primary" })}
            >
              <ExternalLink aria-hidden size={13} strokeWidth={1.6} />
              Open<span className="sr-only"> {address.host} in a new tab</span>
            </a>
            <Button
              needs="run"
              variant={opened ? "primary" : "secondary"}
              disabled={answering.pending}
              onClick={() => answering.send({ action: "accept" })}
            >
              Done
            </Button>
          </>
        )}
        <RefusalButtons answering={answering} />
      </div>
    </div>
  );
}
