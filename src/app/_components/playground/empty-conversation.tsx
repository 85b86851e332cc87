import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { CornerDownLeft } from "lucide-react";
import { trpc } from "@/app/_trpc/client";
import { Guard } from "@/app/_ui/access";
import { Link } from "@/app/_ui/link";
import type { ToolSelection } from "@/lib/contract/run";

interface EmptyConversationProps {
  demo: boolean;
  /** The tools that the model is offered: the examples call them. */
  tools: ToolSelection;
  /** Whether sending is impossible now. */
  disabled: boolean;
  onExample: (text: string) => void;
}

/** Shown before the first message. */
export function EmptyConversation({ demo, tools, disabled, onExample }: EmptyConversationProps) {
  const { data } = useQuery({ ...trpc.runs.examples.queryOptions({ tools }), placeholderData: keepPreviousData });
  return (
    <div className="m-auto flex w-full max-w-md flex-col gap-4 py-8">
      <div className="flex flex-col gap-1 text-center">
        <h2 className="font-medium text-base">Let a model use your tools</h2>
        <p className="text-mute">
          The model sees the tools you choose and calls them. Every call is recorded in Executions, every conversation
          stays in the list.
        </p>
      </div>
      {data !== undefined && data.items.length > 0 && (
        <ul aria-label="Examples" className="flex flex-col gap-1.5">
          {data.items.map((text) => (
            <li key={text}>
              <Guard needs="run">
                <button
                  type="button"
                  disabled={disabled}
                  onClick={() => onExample(text)}
                  className="flex w-full items-center gap-3 rounded-lg border border-line bg-panel px-3 py-2 text-left max-sm:min-h-10 hover:border-line2 hover:bg-rail disabled:cursor-not-allowed disabled:opacity-45 aria-disabled:cursor-not-allowed aria-disabled:opacity-45"
                >
                  <span className="min-w-0 flex-1 font-mono text-xs [overflow-wrap:anywhere]">{text}</span>
                  <CornerDownLeft size={13} className="shrink-0 text-faint" />
                </button>
              </Guard>
            </li>
          ))}
        </ul>
      )}
      {demo && (
        <p className="text-center text-mute text-xs">
          The demo model is a set of rules, not a language model. It needs no key and no network, and handles requests
          like these.{" "}
          <Link href="/settings/models" className="underline hover:text-text">
            Add a model
          </Link>
        </p>
      )}
    </div>
  );
}
