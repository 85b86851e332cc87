import { Square } from "lucide-react";
import { useLayoutEffect, useRef } from "react";
import { Button, type ButtonProps } from "@/app/_ui/button";
import { type Mutation, useAction } from "./use-action";

interface CancelButtonProps<Failure, Context> extends Pick<ButtonProps, "needs"> {
  mutation: Mutation<{ cancelled: boolean }, Failure, { id: string }, Context>;
  id: string;
  label: string;
}

/** Cancels what runs on the server, and stays disabled until that has ended. */
export function CancelButton<Failure extends { message: string }, Context>({
  mutation,
  id,
  label,
  ...access
}: CancelButtonProps<Failure, Context>) {
  const { mutate, isPending, data, problem } = useAction(mutation, { stale: [], failed: "Couldn't cancel" });
  const button = useRef<HTMLButtonElement>(null);
  const isCancelling = isPending || data?.cancelled === true;
  // Outside system: the keyboard focus, which goes to the panel's first action when this button leaves with what ran.
  useLayoutEffect(() => {
    const own = button.current;
    const header = own?.closest("section")?.querySelector("header");
    return () => {
      if (own === document.activeElement) queueMicrotask(() => header?.querySelector("button")?.focus());
    };
  }, []);
  return (
    <div className="flex flex-col items-end gap-1.5">
      <Button
        {...access}
        variant="danger"
        ref={button}
        // The button is not `disabled`, which would remove the focus.
        aria-disabled={isCancelling}
        onClick={() => !isCancelling && mutate({ id })}
      >
        <Square size={12} />
        {data?.cancelled ? "Cancelling…" : label}
      </Button>
      <div role="status" className="text-xs empty:hidden">
        {problem !== null && <span className="text-bad">{problem}</span>}
        {data?.cancelled === false && "It has already ended."}
      </div>
    </div>
  );
}
