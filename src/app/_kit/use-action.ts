import { type QueryKey, type UseMutationOptions, type UseMutationResult, useMutation } from "@tanstack/react-query";
import { useInvalidate } from "@/app/_trpc/use-invalidate";
import { useToast } from "@/app/_ui/toast";

export interface ActionOptions<Input, Output> {
  /** Read again after the action, also after a failed one: it may have failed because what is shown is old. */
  stale: readonly QueryKey[];
  /** Shown as a toast once it is done and what is stale was read again. */
  done?: (output: Output, input: Input) => string;
  /** Afterwards: closes the dialog, opens another page. */
  onDone?: (output: Output) => void;
}

/** A mutation that a person starts with a button: what becomes of it is said, and shown everywhere. */
export function useAction<Output, Failure, Input, Context>(
  mutation: UseMutationOptions<Output, Failure, Input, Context>,
  { stale, done, onDone }: ActionOptions<Input, Output>,
): UseMutationResult<Output, Failure, Input, Context> {
  const toast = useToast();
  const refresh = useInvalidate(...stale);
  return useMutation({
    ...mutation,
    onSuccess: async (output, input) => {
      await refresh();
      if (done !== undefined) toast({ title: done(output, input), tone: "ok" });
      onDone?.(output);
    },
    onError: () => void refresh(),
  });
}
