import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useToast } from "@/app/_ui/toast";
import type { Problem } from "@/lib/contract/problem";
import { REVISION } from "@/lib/contract/revision";
import { type Refusal, readProblems } from "./problems";

/** The edited thing: its current name, and the revision that the draft began with. */
export interface EditedThing {
  name: string;
  revision?: number;
}

/** Null for a new one. @param base the revision as the draft names it */
export function toEdited(name: string | null, base: string): EditedThing | null {
  if (name === null) return null;
  return base === "" ? { name } : { name, revision: Number(base) };
}

export interface SaveOptions<Input, Saved> {
  send: (input: Input) => Promise<Saved>;
  /** Brings what pages show up to date. */
  onSaved: (saved: Saved, input: Input) => void | Promise<void>;
  /** The notice of the success; null where the page shows it. */
  toast: string | null | ((saved: Saved) => string | null);
  /** Reads the newer state after a save was refused because of it. */
  onConflict?: () => void;
  /** The page to open afterwards. */
  openPath?: (saved: Saved) => string;
}

export interface Save<Input> {
  save: (input: Input) => void;
  /** Clears the refusal of the last attempt. */
  reset: () => void;
  /** Stays true until the form has closed after a success: a second press must not save again. */
  pending: boolean;
  /** Why the server refused the last attempt. */
  problems: readonly Problem[];
  /** The server's refusal and the input that it is about, until the next attempt. */
  refusal: { message: string; input: Input } | null;
}

const NONE: readonly Problem[] = [];

export function useSave<Input, Saved>({
  send,
  onSaved,
  toast: title,
  openPath,
  onConflict,
}: SaveOptions<Input, Saved>): Save<Input> {
  const router = useRouter();
  const toast = useToast();
  const { mutate, reset, error, variables, isPending, isSuccess } = useMutation<Saved, Refusal, Input>({
    mutationFn: send,
    // An input may hold secrets: it is not kept once the form is gone.
    gcTime: 0,
    onError: ({ data }) => {
      if (data?.problems.some(({ path }) => path === REVISION)) onConflict?.();
    },
    onSuccess: async (saved, input) => {
      await onSaved(saved, input);
      const notice = typeof title === "function" ? title(saved) : title;
      if (notice !== null) toast({ title: notice, tone: "ok" });
      if (openPath !== undefined) router.push(openPath(saved));
    },
  });
  return {
    save: mutate,
    reset,
    pending: isPending || isSuccess,
    problems: error === null ? NONE : readProblems(error),
    refusal: error === null || variables === undefined ? null : { message: error.message, input: variables },
  };
}
