import { ExternalLink } from "lucide-react";
import { CopyButton } from "@/app/_ui/copy-button";
import { parseWebAddress } from "./markdown/web-address";

/**
 * An untrusted address: a link with its host for http and https, plain text for every other scheme.
 * @param props `onOpen` is called when the user follows it
 */
export function WebLink({ uri, onOpen }: { uri: string; onOpen?: () => void }) {
  const address = parseWebAddress(uri);
  return (
    <span className="flex min-w-0 items-start gap-1">
      {address === null ? (
        <span className="min-w-0 font-mono text-xs leading-7 [overflow-wrap:anywhere]">{uri}</span>
      ) : (
        <span className="min-w-0 leading-7 [overflow-wrap:anywhere]">
          <a
            href={address.href}
            target="_blank"
            rel="noopener noreferrer"
            onClick={onOpen}
            onAuxClick={({ button }) => button === 1 && onOpen?.()}
            className="font-mono text-accent text-xs underline"
          >
            {uri}
            <ExternalLink size={11} className="ml-1 inline" />
            <span className="sr-only"> (opens in a new tab)</span>
          </a>{" "}
          <span className="text-mute text-xs">on {address.host}</span>
        </span>
      )}
      <CopyButton text={uri} label="Copy URL" />
    </span>
  );
}
