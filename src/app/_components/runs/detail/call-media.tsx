import { useQuery } from "@tanstack/react-query";
import { MediaView } from "@/app/_components/content/media-view";
import { readToolAnswer } from "@/app/_components/content/result-content";
import { trpc } from "@/app/_trpc/client";
import { Skeleton } from "@/app/_ui/skeleton";

const MAX_SHOWN = 12;

/** Pictures and sounds that a call answered with: a run's log has no room for them, its execution has. */
export function CallMedia({ executionId }: { executionId: string }) {
  const { data, error } = useQuery(trpc.executions.get.queryOptions({ id: executionId }));
  if (error) return <p className="text-warn text-xs">Couldn't load media: {error.message}</p>;
  if (!data) return <Skeleton className="h-24" />;
  const blocks = readToolAnswer(data)?.blocks ?? [];
  const media = blocks.flatMap((block) =>
    block.kind === "media" || block.kind === "resource_media" ? [{ key: block.key, media: block.media }] : [],
  );
  if (media.length === 0) return <p className="text-mute text-xs">Open the execution to see images and audio.</p>;
  return (
    <ul aria-label="Media" className="flex flex-wrap gap-3">
      {media.slice(0, MAX_SHOWN).map(({ key, media: each }, at) => (
        <li key={key}>
          <MediaView media={each} label={`Medium ${at + 1}, ${each.mimeType}`} />
        </li>
      ))}
      {media.length > MAX_SHOWN && (
        <li className="text-mute text-xs">{media.length - MAX_SHOWN} more in the execution</li>
      )}
    </ul>
  );
}
