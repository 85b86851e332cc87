"use client";

import { ArrowDown } from "lucide-react";
import { type ReactNode, type Ref, useImperativeHandle } from "react";
import { Button } from "@/app/_ui/button";
import { describeRunEnd } from "./run-announcement";
import type { RunState } from "./run-state";
import { useStickToBottom } from "./use-stick-to-bottom";

export interface ScrollHandle {
  jump: () => void;
}

export interface ConversationScrollProps {
  /** Begins at the end, and stays there as more comes. */
  follow: boolean;
  /** For what is said to those who do not see it; null before there is a run. */
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
        <Button onClick={jump} className="absolute bottom-3 left-1/2 -translate-x-1/2 shadow-pop">
          <ArrowDown aria-hidden size={13} strokeWidth={1.6} />
          Jump to latest
        </Button>
      )}
      <p role="status" className="sr-only">
        {describeRunEnd(state, stopping)}
      </p>
    </div>
  );
}
