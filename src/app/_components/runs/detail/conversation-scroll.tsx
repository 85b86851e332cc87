import { ArrowDown } from "lucide-react";
import { type ReactNode, type Ref, useCallback, useEffect, useImperativeHandle, useRef, useState } from "react";
import { Button } from "@/app/_ui/button";
import type { RunState } from "./run-state";

export interface ScrollHandle {
  jump: () => void;
}

interface ConversationScrollProps {
  /** Begins at the end, and stays there while more follows. */
  follow: boolean;
  /** Announces the run to screen readers; null before there is a run. */
  state: RunState | null;
  stopping: boolean;
  ref?: Ref<ScrollHandle>;
  children: ReactNode;
}

/** The column in which a conversation grows. */
export function ConversationScroll({ follow, state, stopping, ref, children }: ConversationScrollProps) {
  const { scroller, content, away, jump } = useStickToBottom(follow);
  useImperativeHandle(ref, () => ({ jump }), [jump]);
  const tabStop = { role: "group", tabIndex: 0, "aria-label": "Conversation" };
  return (
    <div className="relative min-h-0 flex-1">
      <div ref={scroller} {...tabStop} className="-outline-offset-2 h-full overflow-auto">
        <div ref={content} className="mx-auto flex min-h-full w-full max-w-4xl flex-col gap-6 px-4 py-5">
          {children}
        </div>
      </div>
      {away && follow && (
        <Button icon={ArrowDown} onClick={jump} className="absolute bottom-3 left-1/2 -translate-x-1/2 shadow-pop">
          Jump to latest
        </Button>
      )}
      <p role="status" className="sr-only">
        {describeRunEnd(state, stopping)}
      </p>
    </div>
  );
}

/** Describes a run in a few words that change only with its state: streaming text is not announced piece by piece. */
function describeRunEnd(state: RunState | null, stopping: boolean): string {
  if (state === null) return "";
  if (stopping) return "Cancelling";
  switch (state.detail.status) {
    case "running":
      return doing(state);
    case "waiting":
      return "Needs approval";
    case "succeeded":
      return "The response is complete";
    case "failed":
      return "The run failed";
    case "cancelled":
      return "Cancelled";
    case "interrupted":
      return "The run was interrupted";
  }
}

function doing({ events, live }: RunState): string {
  if (live && live.text !== "") return "The model is answering";
  const last = events.at(-1);
  if (last?.type === "tool_started" || last?.type === "approval_granted") return `Calling ${last.name}`;
  return "Waiting for the model";
}

/** Nearer to the end than this counts as being there. */
const NEAR_PX = 48;

/**
 * Keeps the end of what grows in sight, until the user scrolls away from it. `scroller` scrolls, `content` is inside and
 * grows; `follow` false begins at the top.
 */
function useStickToBottom(follow: boolean) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const stuck = useRef(follow);
  const [away, setAway] = useState(false);

  const jump = useCallback((): void => {
    stuck.current = true;
    setAway(false);
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, []);

  // Outside system: the page's layout.
  useEffect(() => {
    const box = scroller.current;
    const grown = content.current;
    if (!box || !grown) return;
    const distance = (): number => box.scrollHeight - box.clientHeight - box.scrollTop;
    const onScroll = (): void => {
      stuck.current = distance() < NEAR_PX;
      setAway(!stuck.current);
    };
    const observer = new ResizeObserver(() => {
      if (stuck.current) box.scrollTop = box.scrollHeight;
      else setAway(distance() >= NEAR_PX);
    });
    observer.observe(grown);
    observer.observe(box);
    box.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", onScroll);
    };
  }, []);

  return { scroller, content, away, jump };
}
