"use client";

import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { webAddress } from "@/app/_components/content/web-address";
import { Alert } from "@/app/_ui/alert";
import { Button, buttonClass } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { RefusalButtons } from "./refusal-buttons";
import type { Answering } from "./use-answer";

export interface UrlQuestionProps {
  server: string;
  url: string;
  answering: Answering;
}

/** An address that a server wants opened. Nothing is opened or fetched before the person does it. */
export function UrlQuestion({ server, url, answering }: UrlQuestionProps) {
  const [opened, setOpened] = useState(false);
  const address = webAddress(url);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 gap-y-1">
        {address !== null && (
          <>
            <dt className="text-mute text-xs">Host</dt>
            <dd className="font-medium font-mono text-base [overflow-wrap:anywhere]">{address.host}</dd>
          </>
        )}
        <dt className="text-mute text-xs">Address</dt>
        <dd className="flex min-w-0 items-start gap-1">
          <span className="min-w-0 font-mono text-xs leading-7 [overflow-wrap:anywhere]">{url}</span>
          <CopyButton text={url} label="Copy address" />
        </dd>
      </dl>
      {address === null && (
        <Alert tone="bad" title="Not an address of the web">
          Only addresses that begin with http:// or https:// are opened from here.
        </Alert>
      )}
      {address?.hasCredentials && (
        <Alert tone="warn" title="The address is made to look like another one">
          What stands before the “@” is a user name, not the host. It leads to {address.host}.
        </Alert>
      )}
      {address !== null && !address.encrypted && (
        <p className="text-warn text-xs">Not encrypted: others on the way can read what you type there.</p>
      )}
      <p className="text-mute text-xs">
        <span className="font-mono">{server}</span> chose this address. Toolroom does not see what you do there; look at
        the host before you type anything.
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
              variant={opened ? "primary" : "secondary"}
              disabled={answering.pending}
              onClick={() => answering.send({ action: "accept" })}
            >
              I have done it
            </Button>
          </>
        )}
        <RefusalButtons answering={answering} />
      </div>
    </div>
  );
}
