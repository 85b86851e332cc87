import { Download } from "lucide-react";
import { buttonClass } from "./button";

export interface DownloadLinkProps {
  href: string;
  /** The format: `CSV`. */
  format: string;
}

/** Looks like a button; the browser saves what it leads to. */
export function DownloadLink({ href, format }: DownloadLinkProps) {
  return (
    <a href={href} download aria-label={`Export as ${format}`} className={buttonClass({ size: "md" })}>
      <Download aria-hidden size={13} strokeWidth={1.6} />
      {format}
    </a>
  );
}
