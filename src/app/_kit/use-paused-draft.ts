import { useEffect, useRef, useState } from "react";

const PAUSE_MS = 250;

/** A text field that reports its value once typing pauses, or at once with `commit`. */
export function usePausedDraft(value: string, onChange: (value: string) => void) {
  const [draft, setDraft] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  function commit(text: string): void {
    clearTimeout(timer.current);
    setDraft(null);
    onChange(text);
  }

  return {
    shown: draft ?? value,
    commit,
    type(text: string): void {
      setDraft(text);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => commit(text), PAUSE_MS);
    },
  };
}

/** Follows a text once typing pauses. */
export function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  // Updates once typing has paused.
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
