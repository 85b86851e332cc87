"use client";

import { useEffect, useState } from "react";
import { useTRPCClient } from "@/app/_trpc/client";
import type { ServerSettingsInput } from "@/lib/contract/server";
import { messageOf } from "@/lib/message-of";

const AFTER_LAST_KEY_MS = 300;

export interface SettingsProblem {
  /** `url`, `env[0].name`; empty for the whole. */
  field: string;
  message: string;
}

export interface SettingsCheck {
  /** False while the newest settings have not been judged. */
  current: boolean;
  problems: readonly SettingsProblem[];
  notes: readonly string[];
  /** The check itself did not work: the server is away. */
  failure: string | null;
  /** Whether the verdict is about a field as it stands now. */
  covers: (field: string) => boolean;
}

interface Verdict extends Omit<SettingsCheck, "current" | "covers"> {
  text: string | null;
}

const NONE: Verdict = { text: null, problems: [], notes: [], failure: null };

/**
 * The server's own verdict on settings while they are being written: there is one checker, and this asks it.
 * @param settings null: nothing is to be checked
 */
export function useSettingsCheck(settings: ServerSettingsInput | null, editing: string | null): SettingsCheck {
  const client = useTRPCClient();
  const [verdict, setVerdict] = useState(NONE);
  const text = settings === null ? null : JSON.stringify(settings);

  // Outside system: the server's checker, asked once the typing pauses.
  useEffect(() => {
    if (text === null) return;
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      client.servers.checkSettings
        .mutate(
          { settings: JSON.parse(text) as ServerSettingsInput, editing: editing ?? undefined },
          { signal: aborter.signal },
        )
        .then(
          ({ problems, notes }) => {
            if (!aborter.signal.aborted) setVerdict({ text, problems, notes, failure: null });
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
  return { ...rest, current: judged === text, covers: (field) => partOf(judged, field) === partOf(text, field) };
}

/** The part of the settings that a field stands in, `env` for `env[0].name`, as text to compare. */
function partOf(settingsText: string | null, field: string): string | undefined {
  if (settingsText === null) return undefined;
  const settings = new Map(Object.entries(JSON.parse(settingsText) as Record<string, unknown>));
  return JSON.stringify(settings.get(field.split(/[.[]/, 1)[0] ?? field));
}
