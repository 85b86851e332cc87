"use client";

import { useEffect, useState } from "react";
import { useTRPCClient } from "@/app/_trpc/client";
import type { QualityNote } from "@/lib/contract";
import { messageOf } from "@/lib/message-of";

const AFTER_LAST_KEY_MS = 300;

export interface DefinitionCheck {
  /** False while the newest text has not been judged. */
  current: boolean;
  problems: readonly string[];
  quality: readonly QualityNote[];
  /** The check itself did not work: the server is away. */
  failure: string | null;
}

interface Verdict extends Omit<DefinitionCheck, "current"> {
  text: string | null;
}

const NONE: Verdict = { text: null, problems: [], quality: [], failure: null };

/** The server's own verdict on a definition while it is being written: there is one checker, and this asks it. */
export function useDefinitionCheck(text: string, editing: string | null): DefinitionCheck {
  const client = useTRPCClient();
  const [verdict, setVerdict] = useState(NONE);

  // Outside system: the server's checker, asked once the typing pauses.
  useEffect(() => {
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      client.tools.checkDefinition
        .mutate({ definitionText: text, editing: editing ?? undefined }, { signal: aborter.signal })
        .then(
          ({ problems, quality }) => {
            if (!aborter.signal.aborted) setVerdict({ text, problems, quality, failure: null });
          },
          (error: unknown) => {
            if (aborter.signal.aborted) return;
            setVerdict({ ...NONE, text, failure: messageOf(error) });
          },
        );
    }, AFTER_LAST_KEY_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [client, editing, text]);

  const { text: judged, ...rest } = verdict;
  return { ...rest, current: judged === text };
}
