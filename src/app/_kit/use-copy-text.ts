"use client";

import { useToast } from "@/app/_ui/toast";

/** Copies a text and says so. @returns a function that takes what it is, such as `as JSON`, and the text */
export function useCopyText(): (what: string, text: string) => Promise<void> {
  const toast = useToast();
  return async (what, text) => {
    try {
      await navigator.clipboard.writeText(text);
      toast({ title: `Copied ${what}`, tone: "ok" });
    } catch {
      toast({ title: "Couldn't copy: the browser refused", tone: "bad" });
    }
  };
}
