import { useCallback } from "react";
import { useVerdict } from "@/app/_kit/use-verdict";
import { client } from "@/app/_trpc/client";
import type { Problem } from "@/lib/contract/problem";
import type { ServerSettingsInput } from "@/lib/contract/server";

interface SettingsCheck {
  /** False while the newest settings have not been checked. */
  current: boolean;
  problems: readonly Problem[];
  notes: readonly string[];
  /** The check itself did not work: the server is away. */
  failure: string | null;
  /** Whether the verdict covers the current value of a field. */
  covers: (field: string) => boolean;
}

/**
 * The server's own verdict on settings while they are being written: there is one checker, and this asks it.
 * @param settings null: nothing is to be checked
 */
export function useSettingsCheck(settings: ServerSettingsInput | null, editing: string | null): SettingsCheck {
  const text = settings === null ? null : JSON.stringify(settings);
  const ask = useCallback(
    (settingsText: string, signal: AbortSignal) =>
      client.servers.checkSettings.mutate(
        { settings: JSON.parse(settingsText) as ServerSettingsInput, editing: editing ?? undefined },
        { signal },
      ),
    [editing],
  );
  const { checked, answer, failure } = useVerdict(text, ask);
  return {
    problems: answer?.problems ?? [],
    notes: answer?.notes ?? [],
    failure,
    current: checked === text,
    covers: (field) => findPart(checked, field) === findPart(text, field),
  };
}

/** The part of the settings that a field stands in, `env` for `env[0].name`, as text to compare. */
function findPart(settingsText: string | null, field: string): string | undefined {
  if (settingsText === null) return undefined;
  const settings = new Map(Object.entries(JSON.parse(settingsText) as Record<string, unknown>));
  return JSON.stringify(settings.get(field.split(/[.[]/, 1)[0] ?? field));
}
