import { useToast } from "@/app/_ui/toast";
import { getMessage } from "@/lib/get-message";

/**
 * Copies a text and reports it.
 * @returns a function that takes what is copied, such as `as JSON`, and the text, which may still be loading
 */
export function useCopyText(): (what: string, text: string | Promise<string>) => Promise<void> {
  const toast = useToast();
  return async (what, text) => {
    try {
      await writeClipboard(text);
      toast({ title: `Copied ${what}`, tone: "ok" });
    } catch {
      const reason = await Promise.resolve(text).then(() => "the browser refused", getMessage);
      toast({ title: `Couldn't copy: ${reason}`, tone: "bad" });
    }
  };
}

/** Safari lets a page write only what it passes on at once, a promise included. */
const writeClipboard = (text: string | Promise<string>): Promise<void> =>
  typeof text === "string"
    ? navigator.clipboard.writeText(text)
    : navigator.clipboard.write([
        new ClipboardItem({ "text/plain": text.then((loaded) => new Blob([loaded], { type: "text/plain" })) }),
      ]);
