"use client";

import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
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
  onSaved: (saved: Saved) => void | Promise<void>;
  toast: (saved: Saved) => string;
  /** Reads the newer state after a save was refused because of it. */
  onConflict?: () => void;
  /** The page that opens afterwards. */
  openPath?: (saved: Saved) => string;
}

export interface Save<Input> {
  /** Sends the input, or shows what keeps it from being sent. */
  save: (read: { input: Input } | { problems: readonly Problem[] }) => void;
  /** Also from the success until the form has closed: a second press must not save again. */
  pending: boolean;
  /** The problems to correct, after the last attempt. */
  problems: readonly Problem[];
  /** The server's refusal and the input that it is about, until the next attempt. */
  refusal: { message: string; input: Input } | null;
}

export function useSave<Input, Saved>({
  send,
  onSaved,
  toast: title,
  openPath,
  onConflict,
}: SaveOptions<Input, Saved>): Save<Input> {
  const router = useRouter();
  const toast = useToast();
  const [unsent, setUnsent] = useState<readonly Problem[]>([]);
  const { mutate, reset, error, variables, isPending, isSuccess } = useMutation<Saved, Refusal, Input>({
    mutationFn: send,
    // An input may hold secrets: it is not kept once the form is gone.
    gcTime: 0,
    onError: ({ data }) => {
      if (data?.problems.some(({ path }) => path === REVISION)) onConflict?.();
    },
    onSuccess: async (saved) => {
      await onSaved(saved);
      toast({ title: title(saved), tone: "ok" });
      if (openPath !== undefined) router.push(openPath(saved));
    },
  });
  return {
    save: (read) => {
      setUnsent("problems" in read ? read.problems : []);
      if ("input" in read) mutate(read.input);
      else reset();
    },
    pending: isPending || isSuccess,
    problems: error === null ? unsent : readProblems(error),
    refusal: error === null || variables === undefined ? null : { message: error.message, input: variables },
  };
}
