import { readFramePath, toFramePolicy } from "@/lib/apps/app-policy";

export const dynamic = "force-dynamic";

/**
 * Waits for an App's document from the page around it and becomes that document. It answers to that page alone, once, and
 * the policy of this response stays in force for all that is written.
 */
const SHELL = `<!doctype html><meta charset="utf-8"><title>App</title><script>
(() => {
  const page = window.parent;
  if (page === window) return;
  const open = ({ source, origin, data }) => {
    if (source !== page || origin !== location.origin || typeof data?.html !== "string") return;
    removeEventListener("message", open);
    document.open();
    document.write(data.html);
    document.close();
  };
  addEventListener("message", open);
  addEventListener("load", () => page.postMessage({ toolroom: "app-frame-ready" }, location.origin));
})();
</script>`;

export function GET(request: Request): Response {
  return new Response(SHELL, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": toFramePolicy(readFramePath(new URL(request.url).searchParams)),
      "cache-control": "no-store",
    },
  });
}
