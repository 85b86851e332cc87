import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { client } from "@/app/_trpc/client";
import type { ArgumentVerdict, Fault } from "@/lib/contract/envelope";

const TYPING_PAUSE_MS = 150;
const NO_FAULTS: Fault[] = [];

export function useToolVerdict(toolName: string, definitionKey: string, text: string | null) {
  return useArgumentVerdict([toolName, definitionKey], text, (argumentsText) =>
    client.tools.validateArguments.mutate({ name: toolName, arguments: argumentsText }),
  );
}

/**
 * The server's verdict on arguments as they are typed: the executor's own validator, so the console never checks by rules
 * of its own. `check` asks at once, for the moment a user presses Run.
 * @param key what the arguments are checked by
 */
export function useArgumentVerdict(
  key: readonly string[],
  text: string | null,
  ask: (argumentsText: string) => Promise<ArgumentVerdict>,
) {
  const queryClient = useQueryClient();
  const settled = useSettled(text, TYPING_PAUSE_MS);
  const options = (argumentsText: string) => ({
    queryKey: ["argument-verdict", ...key, argumentsText],
    queryFn: () => ask(argumentsText),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    // Run validates first. Without an answer it fails, and is not repeated once the server answers.
    networkMode: "always" as const,
  });
  const verdict = useQuery({
    ...options(settled ?? "{}"),
    enabled: settled !== null,
    placeholderData: (before: ArgumentVerdict | undefined) => before,
    retry: false,
  });
  const known = text === null ? undefined : verdict.data;
  return {
    faults: known?.faults ?? NO_FAULTS,
    /** Warnings do not prevent sending. */
    warnings: known?.warnings ?? NO_FAULTS,
    note: verdict.error ? `Couldn't check the arguments: ${verdict.error.message}` : null,
    /** True only for exactly the text in the editor. */
    valid: text !== null && settled === text && !verdict.isPlaceholderData && verdict.data?.valid === true,
    check: (argumentsText: string) => queryClient.fetchQuery(options(argumentsText)),
  };
}

/** The newest value once it has stayed the same for a while; a first or null value at once. */
function useSettled(value: string | null, pauseMs: number): string | null {
  const [settled, setSettled] = useState(value);
  // Checks once typing has paused.
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), value === null ? 0 : pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
