import { Button } from "@/app/_ui/button";
import type { Answering } from "./use-answer";

/** Decline refuses the request; cancel dismisses it without an answer. Servers may treat them differently. */
export function RefusalButtons({ answering: { pending, send } }: { answering: Answering }) {
  return (
    <>
      <Button needs="run" disabled={pending} title="Refuses the request" onClick={() => send({ action: "decline" })}>
        Decline
      </Button>
      <Button
        needs="run"
        variant="ghost"
        disabled={pending}
        title="Dismisses the request without an answer"
        onClick={() => send({ action: "cancel" })}
      >
        Dismiss request
      </Button>
    </>
  );
}
