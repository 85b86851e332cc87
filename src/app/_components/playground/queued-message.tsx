import { AppContextList } from "@/app/_components/apps/app-context-list";
import { Button } from "@/app/_ui/button";
import type { AppContext } from "@/lib/contract/app";

interface QueuedMessageProps {
  text: string;
  contexts: readonly AppContext[];
  onRemove: () => void;
}

/** The message that is sent when the model has answered. */
export function QueuedMessage({ text, contexts, onRemove }: QueuedMessageProps) {
  return (
    <section
      aria-label="Queued message"
      className="mx-auto flex w-full max-w-216 shrink-0 items-start gap-2 px-4 pb-2 text-sm"
    >
      <div className="min-w-0 flex-1 rounded-lg border border-line2 border-dashed px-3 py-1.5">
        <p role="status" className="text-mute text-xs">
          Queued. Sends when the response is complete.
        </p>
        <p className="line-clamp-3 whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>
        {contexts.length > 0 && (
          <div className="mt-1.5">
            <AppContextList contexts={contexts} />
          </div>
        )}
      </div>
      <Button onClick={onRemove}>Edit</Button>
    </section>
  );
}
