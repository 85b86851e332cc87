import { AppWindow, ChevronRight, X } from "lucide-react";
import { useState } from "react";
import { IconButton } from "@/app/_ui/button";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { AppContext } from "@/lib/contract/app";
import { formatCount } from "@/lib/format";

interface AppContextListProps {
  contexts: readonly AppContext[];
  /** Called to remove a context; absent where it can no longer be removed. */
  onRemove?: (executionId: string) => void;
}

/** Lists the texts that Apps add to a message for the model, in full. They are untrusted, and shown as text. */
export function AppContextList({ contexts, onRemove }: AppContextListProps) {
  return (
    <ul aria-label="Context from Apps" className="flex max-h-[45dvh] min-w-0 flex-col gap-1 overflow-y-auto">
      {contexts.map((context) => (
        <Item key={context.executionId} context={context} onRemove={onRemove} />
      ))}
    </ul>
  );
}

interface ItemProps extends Pick<AppContextListProps, "onRemove"> {
  context: AppContext;
}

function Item({ context: { executionId, tool, text }, onRemove }: ItemProps) {
  /** The text at the time when it was last opened or closed. */
  const [read, setRead] = useState<string | null>(null);
  return (
    <li className="flex min-w-0 items-start rounded-lg border border-line2 border-dashed bg-panel text-xs">
      <details className="group min-w-0 flex-1" onToggle={() => setRead(text)}>
        <summary className="flex cursor-pointer list-none items-center gap-1.5 rounded-lg px-2 py-1.5">
          <ChevronRight
            size={13}
            className="shrink-0 text-faint transition-transform duration-100 group-open:rotate-90"
          />
          <AppWindow size={13} className="shrink-0 text-mute" />
          <span className="max-w-3/4 shrink-0 truncate">
            Context from <span className="font-mono">{tool}</span>
          </span>
          <span className="min-w-0 flex-1 truncate text-mute group-open:invisible">{text.slice(0, 200)}</span>
          {read !== null && read !== text && <span className="shrink-0 text-warn">Changed</span>}
        </summary>
        <div className="px-2 pb-1.5">
          <p className="mb-1 text-mute">
            {formatCount(text.length)} characters, sent to the model as data of the App with your message
          </p>
          <ScrollRegion label={`Context from ${tool}`} className="max-h-60">
            <pre dir="auto" className="whitespace-pre-wrap font-mono leading-5 [overflow-wrap:anywhere]">
              {text}
            </pre>
          </ScrollRegion>
        </div>
      </details>
      {onRemove && <IconButton icon={X} label={`Remove context from ${tool}`} onClick={() => onRemove(executionId)} />}
    </li>
  );
}
