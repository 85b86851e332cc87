import { Button } from "@/app/_ui/button";
import type { Answering } from "./use-answer";

/** Decline says no to the question; cancel says that nobody looked at it. Servers may treat them differently. */
export function RefusalButtons({ answering: { pending, send } }: { answering: Answering }) {
  return (
    <>
      <Button
        disabled={pending}
        title="Tells the server that you do not want to answer"
        onClick={() => send({ action: "decline" })}
      >
        Decline
      </Button>
      <Button
        variant="ghost"
        disabled={pending}
        title="Tells the server that the question was put aside"
        onClick={() => send({ action: "cancel" })}
      >
        Cancel
      </Button>
    </>
  );
}
