import { CornerDownLeft } from "lucide-react";
import { Guard } from "@/app/_ui/access";
import { Link } from "@/app/_ui/link";

/** The demo model and the sample tools answer these; every other model does so too. */
const EXAMPLES = [
  { text: "what is 12*7", hint: "one tool" },
  { text: "weather in Oslo", hint: "one tool, then an answer" },
  { text: 'echo {"a":1} and what is 2^10', hint: "two tools at once" },
] as const;

export interface EmptyConversationProps {
  demo: boolean;
  /** Nothing can be sent now. */
  disabled: boolean;
  onExample: (text: string) => void;
}

/** Before the first message. */
export function EmptyConversation({ demo, disabled, onExample }: EmptyConversationProps) {
  return (
    <div className="m-auto flex w-full max-w-md flex-col gap-4 py-8">
      <div className="flex flex-col gap-1 text-center">
        <h2 className="font-medium text-base">Let a model use your tools</h2>
        <p className="text-mute">
          The model sees the tools you choose and calls them. Every call is recorded in Executions, every conversation
          in Runs.
        </p>
      </div>
      <ul aria-label="Examples" className="flex flex-col gap-1.5">
        {EXAMPLES.map(({ text, hint }) => (
          <li key={text}>
            <Guard needs="run">
              <button
                type="button"
                disabled={disabled}
                onClick={() => onExample(text)}
                className="flex w-full items-center gap-3 rounded-lg border border-line bg-panel px-3 py-2 text-left hover:border-line2 hover:bg-rail disabled:cursor-not-allowed disabled:opacity-45 aria-disabled:cursor-not-allowed aria-disabled:opacity-45"
              >
                <span className="min-w-0 flex-1 font-mono text-xs [overflow-wrap:anywhere]">{text}</span>
                <span className="shrink-0 text-mute text-xs max-sm:hidden">{hint}</span>
                <CornerDownLeft aria-hidden size={13} strokeWidth={1.6} className="shrink-0 text-faint" />
              </button>
            </Guard>
          </li>
        ))}
      </ul>
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
