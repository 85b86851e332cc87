import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { trpc } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { formatCount } from "@/lib/format";
import type { CutPart } from "@/lib/run/build-turns";

interface RunTextProps {
  runId: string;
  /** The whole text, or its beginning. */
  text: string;
  /** Describes the missing rest; null where the text is whole. */
  cut: CutPart | null;
  /** The name of the text for buttons: "the arguments". */
  label: string;
  children: (text: string) => ReactNode;
}

/** A text of a run's event; loads the rest of it where only its beginning is here. */
export function RunText(props: RunTextProps) {
  return props.cut === null ? props.children(props.text) : <LongText {...props} cut={props.cut} />;
}

function LongText({ runId, text, cut, label, children }: RunTextProps & { cut: CutPart }) {
  const queryClient = useQueryClient();
  const { index, part } = cut;
  const whole = useCutText(text, cut.chars, (offset) =>
    queryClient.fetchQuery(trpc.runs.payload.queryOptions({ id: runId, index, part, offset }, { gcTime: 0 })),
  );
  return (
    <>
      {children(whole.text)}
      <CutTextBar cut={whole} label={label} />
    </>
  );
}

/** A text of which a page first loads only the beginning. */
interface CutText {
  text: string;
  /** The number of characters that are not loaded; 0 where the text is whole. */
  rest: number;
  loadMore: () => void;
  loadAll: () => void;
  loading: boolean;
  error: string | null;
}

/**
 * Loads the rest of a text on demand, in slices. `chars` is the length of the whole; `head` is the part that is loaded.
 */
function useCutText(
  head: string,
  chars: number,
  loadSlice: (offset: number) => Promise<{ text: string; chars: number }>,
): CutText {
  const [loaded, setLoaded] = useState<string | null>(null);
  const text = loaded ?? head;
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (whole: boolean) => {
      for (let known = text; known.length < chars; ) {
        const slice = await loadSlice(known.length);
        if (slice.text === "") return;
        known += slice.text;
        setLoaded(known);
        if (!whole) return;
      }
    },
  });
  return {
    text,
    rest: Math.max(0, chars - text.length),
    loadMore: () => mutate(false),
    loadAll: () => mutate(true),
    loading: isPending,
    error: error?.message ?? null,
  };
}

/** Shown below a text that is not loaded whole; renders nothing when it is. */
function CutTextBar({ cut, label }: { cut: CutText; label: string }) {
  if (cut.rest === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 text-mute text-xs">
      <span>{formatCount(cut.rest)} more characters</span>
      <Button onClick={cut.loadMore} disabled={cut.loading} aria-label={`Load more of ${label}`}>
        {cut.loading ? "Loading…" : "Load more"}
      </Button>
      <Button onClick={cut.loadAll} disabled={cut.loading} aria-label={`Load all of ${label}`}>
        Load all
      </Button>
      {cut.error !== null && (
        <span role="alert" className="text-bad">
          Couldn't load the text: {cut.error}
        </span>
      )}
    </div>
  );
}
