import { ArrowUp, Square } from "lucide-react";
import { type KeyboardEvent, type ReactNode, type Ref, useId, useImperativeHandle, useRef } from "react";
import { useFirstField, WIDE } from "@/app/_kit/use-first-field";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Kbd } from "@/app/_ui/kbd";
import { FITTED, useFittedHeight } from "@/app/_ui/use-fitted-height";

interface ComposerProps {
  text: string;
  onText: (text: string) => void;
  onSend: () => void;
  going: boolean;
  stopping: boolean;
  onStop: () => void;
  /** Content above the message that is sent with it. */
  children?: ReactNode;
  /** Why nothing can be sent; null: it can. */
  reason: string | null;
  inputRef: Ref<HTMLTextAreaElement>;
}

/** The field and the button for a message. Enter sends, Shift+Enter adds a line; while the model answers, the button stops it and Enter queues the message. */
export function Composer(props: ComposerProps) {
  const { text, onText, onSend, going, stopping, reason, inputRef } = props;
  const hintId = useId();
  const area = useFittedHeight(text);
  useImperativeHandle(inputRef, () => area.current as HTMLTextAreaElement, [area]);
  const form = useRef<HTMLFormElement>(null);
  useFirstField(form, WIDE);
  const sendable = !stopping && reason === null && text.trim() !== "";
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (sendable) onSend();
  };
  return (
    <form
      ref={form}
      aria-label="Message"
      data-submit-key=""
      className="shrink-0 border-line border-t bg-panel px-4 pt-3 pb-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (sendable) onSend();
      }}
    >
      <div className="mx-auto flex w-full max-w-216 flex-col gap-1.5">
        {props.children}
        <div className="flex items-end gap-2 rounded-xl border border-edge bg-panel p-1.5 pl-3 focus-within:border-accent focus-within:ring-3 focus-within:ring-accent-bg">
          <textarea
            ref={area}
            aria-label="Message to the model"
            aria-describedby={hintId}
            dir="auto"
            rows={1}
            maxLength={MAX_CHARS}
            placeholder={going ? "Queue your next message" : "Ask something, or name a tool to use"}
            value={text}
            onChange={(event) => onText(event.target.value)}
            onKeyDown={onKeyDown}
            className={cx(
              FITTED,
              "block max-h-60 min-h-7 min-w-0 flex-1 resize-none bg-transparent py-1 text-base focus:outline-none",
            )}
          />
          <SendOrStop {...props} sendable={sendable} />
        </div>
        <div id={hintId} className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-mute text-xs">
          {reason === null ? (
            <span className="max-sm:hidden">
              <Kbd>Enter</Kbd> {going ? "queues" : "sends"} · <Kbd>Shift</Kbd> <Kbd>Enter</Kbd> new line
              {going && (
                <>
                  {" "}
                  · <Kbd>Esc</Kbd> stops
                </>
              )}
            </span>
          ) : (
            <span className="text-warn [overflow-wrap:anywhere]">{reason}</span>
          )}
        </div>
      </div>
    </form>
  );
}

const MAX_CHARS = 200_000;

function SendOrStop({ going, stopping, onStop, sendable, reason }: ComposerProps & { sendable: boolean }) {
  if (going) {
    return (
      <Button needs="run" size="md" onClick={onStop} disabled={stopping} title="Stop (Esc)">
        <Square size={11} strokeWidth={2} className="fill-current" />
        {stopping ? "Stopping…" : "Stop"}
      </Button>
    );
  }
  return (
    <Button
      icon={ArrowUp}
      needs="run"
      type="submit"
      size="md"
      variant="primary"
      disabled={!sendable}
      {...(reason === null ? {} : { title: reason })}
    >
      Send
    </Button>
  );
}
