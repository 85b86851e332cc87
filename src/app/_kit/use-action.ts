import {
  type InferDataFromTag,
  type QueryKey,
  type UseMutationOptions,
  type UseMutationResult,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { type Stale, useInvalidate } from "@/app/_trpc/use-invalidate";
import { type ToastInput, useToast } from "@/app/_ui/toast";

/** For actions after which any shown data may be outdated. */
export const ALL_QUERIES: readonly QueryKey[] = [[]];

/** The expected answer of a query once the server has acted. */
interface Guess {
  key: QueryKey;
  change: (known: unknown) => unknown;
}

/** @param change is not called while the query has no data */
export function guess<Key extends QueryKey>(
  key: Key,
  change: (known: NonNullable<InferDataFromTag<unknown, Key>>) => InferDataFromTag<unknown, Key>,
): Guess {
  return {
    key,
    change: (known) => (known == null ? known : change(known as NonNullable<InferDataFromTag<unknown, Key>>)),
  };
}

export interface ActionOptions<Input, Output> {
  /** Read again after the action, also after a failed one: it may have failed because what is shown is old. */
  stale: readonly Stale[];
  /** Shown as a toast once it is done and what is stale was read again; null where there is nothing to say. */
  done?: string | null | ((output: Output, input: Input) => string | ToastInput | null);
  /** Afterwards: closes the dialog, opens another page. */
  onDone?: (output: Output, input: Input) => void;
  /** Begins the message of a failure: "Couldn't delete echo". */
  failed?: string | ((input: Input) => string);
  /** Receives the message of a failure, and null when the action begins: for one place that several actions share. `toast` says it there. */
  report?: "toast" | ((problem: string | null) => void);
  /** Shown until the server answers, and taken back if it refuses. */
  guesses?: (input: Input) => readonly Guess[];
}

type Action<Output, Failure, Input> = UseMutationResult<Output, Failure, Input, () => void> & {
  /** Why the last attempt failed, until `reset` or the next one. */
  problem: string | null;
};

/** A tRPC mutation, or a function that sends a request. */
export type Mutation<Output, Failure, Input, Context> =
  | UseMutationOptions<Output, Failure, Input, Context>
  | Procedure<UseMutationOptions<Output, Failure, Input, Context>>;

interface Procedure<Options> {
  mutationOptions(): Options;
}

/** A procedure is a proxy, which has no key of its own. */
const readOptions = <Options extends object>(mutation: Options | Procedure<Options>): Options =>
  "mutationFn" in mutation ? (mutation as Options) : (mutation as Procedure<Options>).mutationOptions();

/** A mutation that a user starts with a button: reports its outcome and refreshes what it changed. */
export function useAction<Output, Failure extends { message: string }, Input, Context>(
  mutation: Mutation<Output, Failure, Input, Context>,
  { stale, done, onDone, failed, report, guesses }: ActionOptions<Input, Output>,
): Action<Output, Failure, Input> {
  const toast = useToast();
  const queryClient = useQueryClient();
  const refresh = useInvalidate(...stale);
  const { mutationFn, mutationKey, gcTime } = readOptions(mutation);
  const explain = (error: Failure, input: Input): string => {
    const begin = typeof failed === "function" ? failed(input) : failed;
    return begin === undefined ? error.message : `${begin}: ${error.message}`;
  };
  const say = (problem: string | null): void => {
    if (report !== "toast") report?.(problem);
    else if (problem !== null) toast({ title: problem, tone: "bad" });
  };
  const result = useMutation<Output, Failure, Input, () => void>({
    mutationFn,
    mutationKey,
    gcTime,
    onMutate: async (input) => {
      say(null);
      const guessed = guesses?.(input) ?? [];
      await Promise.all(guessed.map(({ key }) => queryClient.cancelQueries({ queryKey: key })));
      const before = guessed.map(({ key }) => queryClient.getQueryData(key));
      for (const { key, change } of guessed) queryClient.setQueryData(key, change);
      return () => guessed.forEach(({ key }, at) => void queryClient.setQueryData(key, before[at]));
    },
    onSuccess: async (output, input) => {
      await refresh();
      const notice = typeof done === "function" ? done(output, input) : done;
      if (notice != null) toast({ tone: "ok", ...(typeof notice === "string" ? { title: notice } : notice) });
      onDone?.(output, input);
    },
    onError: (error, input, takeBack) => {
      takeBack?.();
      say(explain(error, input));
      void refresh();
    },
  });
  return { ...result, problem: result.error === null ? null : explain(result.error, result.variables as Input) };
}
