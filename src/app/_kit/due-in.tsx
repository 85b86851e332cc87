import { formatDuration } from "@/lib/format";
import { useNow } from "./use-now";

/** `in 24 s`: what is to come has no relative time. A dash where it never comes. */
export function DueIn({ at }: { at: number | null }) {
  const now = useNow(1_000);
  if (at === null || now === null) return "–";
  return at <= now ? "now" : `in ${formatDuration(at - now)}`;
}
